-- What about the machine and the runtimes may have disturbed a run. JSON array; empty for runs of a time when nobody looked.

ALTER TABLE runs ADD COLUMN findings TEXT NOT NULL DEFAULT '[]';
