-- What version 6 added to version 5.

-- What calls of a variant execute, beside its calibration, which has the functions, too: a history reads this of many runs, and no document of theirs.
CREATE TABLE tare.works (
    variant BIGINT PRIMARY KEY REFERENCES tare.variants (number) ON DELETE CASCADE,
    work    TEXT   NOT NULL              -- JSON
);
INSERT INTO tare.works (variant, work)
    SELECT number, json_build_object('launches', calibration::json #> '{work,launches}')::text
    FROM tare.variants WHERE strpos(calibration, '"work":{') > 0;
