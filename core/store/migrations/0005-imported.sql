-- Where a run comes from that another tool measured. JSON object; NULL for runs that Tare measured.

ALTER TABLE runs ADD COLUMN imported TEXT;
