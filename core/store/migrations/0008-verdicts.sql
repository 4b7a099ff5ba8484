-- A case that was proven to be unchanged has a verdict of its own. Which verdicts there are is the program's affair: an older one that meets a new one
-- refuses the store by its version.

CREATE TABLE comparisons_anew (
    number    INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    ordinal   INTEGER NOT NULL,
    base      TEXT    NOT NULL,          -- id of the variant; one of another run's where stored runs are compared
    candidate TEXT    NOT NULL,          -- likewise
    kind      TEXT    NOT NULL,
    verdict   TEXT    NOT NULL,
    ratio     REAL,                      -- candidate over base, of the tared time per call; NULL where it is undefined
    low       REAL,
    high      REAL,
    document  TEXT    NOT NULL,          -- JSON
    UNIQUE (run, ordinal)
);
INSERT INTO comparisons_anew SELECT number, run, ordinal, base, candidate, kind, verdict, ratio, low, high, document FROM comparisons;
DROP TABLE comparisons;
ALTER TABLE comparisons_anew RENAME TO comparisons;
