-- What version 11 added to version 10.

-- What calls of a variant execute, beside its calibration, which has the functions, too: a history reads this of many runs, and no document of theirs.
CREATE TABLE works (
    variant INTEGER PRIMARY KEY REFERENCES variants (number) ON DELETE CASCADE,
    work    TEXT    NOT NULL             -- JSON
);
INSERT INTO works (variant, work)
    SELECT number, json_object('launches', json_extract(calibration, '$.work.launches'))
    FROM variants
    WHERE instr(calibration, '"work":{') > 0
        AND CASE WHEN json_valid(calibration) THEN json_type(calibration, '$.work.launches') = 'array' ELSE 0 END;
