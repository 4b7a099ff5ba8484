-- What was said of a run's variants beside each other. Computed, as summaries are, and may be again.

CREATE TABLE comparisons (
    number    INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    ordinal   INTEGER NOT NULL,
    base      TEXT    NOT NULL,          -- id of the variant; one of another run's where stored runs are compared
    candidate TEXT    NOT NULL,          -- likewise
    kind      TEXT    NOT NULL,
    verdict   TEXT    NOT NULL CHECK (verdict IN ('slower', 'faster', 'same', 'inconclusive')),
    ratio     REAL,                      -- candidate over base, of the tared time per call; NULL where it is undefined
    low       REAL,
    high      REAL,
    document  TEXT    NOT NULL,          -- JSON
    UNIQUE (run, ordinal)
);
