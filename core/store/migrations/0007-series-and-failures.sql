-- Whose history a variant belongs to: a side of a comparison of revisions belongs to its runtime's, at its own commit, whatever the revision was called
-- when it was measured. What older versions stored of sides has no name but that; it stays where it is.

ALTER TABLE variants ADD COLUMN series TEXT NOT NULL DEFAULT '';   -- name of the runtime, without the revision's
ALTER TABLE variants ADD COLUMN revision TEXT;                     -- of a side: its commit, and ` with changes`
UPDATE variants SET series = runtime,
    revision = CASE WHEN json_valid(variant) THEN json_extract(variant, '$.runtime.facts.revision') END;
DROP INDEX variants_by_series;
-- Holds all that a history shows of a variant, so that one series is read from neighbouring pages, and no document of it.
CREATE INDEX variants_by_series
    ON variants (case_id, series, run, ordinal, id, status, time_estimate, time_low, time_high, revision);

-- What couldn't be loaded or listed, and has no variant. JSON array; empty for runs of a time when nobody kept it.
ALTER TABLE runs ADD COLUMN failures TEXT NOT NULL DEFAULT '[]';
