-- Whose history a variant belongs to: a side of a comparison of revisions belongs to its runtime's, at its own commit, whatever the revision was called
-- when it was measured. What older versions stored of sides has no name but that; it stays where it is. `series` is the digest of the case's id and of
-- `series_name` from here on.

ALTER TABLE tare.variants ADD COLUMN series_name TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE tare.variants ADD COLUMN revision TEXT;    -- of a side: its commit, and ` with changes`
-- The server's own functions refuse documents with U+0000 in a name; revisions of older versions are ten digits of a commit.
UPDATE tare.variants SET series_name = runtime,
    revision = substring(variant from '"revision":"([0-9a-f]{7,64}( with changes)?)"');

-- What couldn't be loaded or listed, and has no variant. JSON array; empty for runs of a time when nobody kept it.
ALTER TABLE tare.runs ADD COLUMN failures TEXT NOT NULL DEFAULT '[]';
