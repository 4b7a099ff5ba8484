-- Runs, their variants, and the launches of these. Unsigned 64-bit figures are stored as the signed integer of the
-- same bits, which is the same number for anything under 2^63.

CREATE TABLE runs (
    number   INTEGER PRIMARY KEY,
    id       TEXT    NOT NULL UNIQUE,
    started  TEXT    NOT NULL,           -- RFC 3339, UTC
    finished TEXT,                       -- RFC 3339, UTC; NULL while measuring, or when the process was killed
    state    TEXT    NOT NULL CHECK (state IN ('running', 'complete', 'interrupted')),
    seed     TEXT    NOT NULL,           -- decimal
    policy   INTEGER NOT NULL,           -- version of the correction policy
    tare     TEXT    NOT NULL,           -- version of Tare
    machine  TEXT    NOT NULL,           -- JSON object of strings
    git      TEXT    NOT NULL,           -- JSON object of strings
    request  TEXT    NOT NULL,           -- what was asked for; opaque to the store
    findings TEXT    NOT NULL DEFAULT '[]', -- JSON array: what about the machine and the runtimes may have disturbed it
    imported TEXT,                       -- JSON object: where a run comes from that another tool measured; NULL for runs that Tare measured
    failures TEXT    NOT NULL DEFAULT '[]' -- JSON array: what couldn't be loaded or listed, and has no variant
);
CREATE INDEX runs_by_start ON runs (started, id);
CREATE INDEX runs_by_state ON runs (state, started, id);

CREATE TABLE run_tags (
    run      INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,           -- order in which the user gave them
    tag      TEXT    NOT NULL,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE INDEX run_tags_by_tag ON run_tags (tag, run);

-- The figures stand before the documents: SQLite reads a row's overflow pages only for what lies in them.
CREATE TABLE variants (
    number        INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
    ordinal       INTEGER NOT NULL,
    id            TEXT    NOT NULL,
    case_id       TEXT    NOT NULL,
    benchmark     TEXT    NOT NULL,
    parameters    TEXT,                  -- name of the set; NULL for a benchmark without parameters
    runtime       TEXT    NOT NULL,
    language      TEXT    NOT NULL,
    status        TEXT    CHECK (status IN ('ok', 'failed', 'skipped', 'interrupted')),
    time_estimate REAL,                  -- nanoseconds per call, tared
    time_low      REAL,
    time_high     REAL,
    variant       TEXT    NOT NULL,      -- JSON
    calibration   TEXT,                  -- JSON
    outcome       TEXT,                  -- JSON
    summary       TEXT,                  -- JSON; computed from the launches, and may be again
    -- Whose history it belongs to: a side of a comparison of revisions belongs to its runtime's, at its own commit, whatever the revision was called
    -- when it was measured.
    series        TEXT    NOT NULL DEFAULT '', -- name of the runtime, without the revision's
    revision      TEXT,                  -- of a side: its commit, and ` with changes`
    UNIQUE (run, ordinal),
    UNIQUE (run, id)
);
CREATE INDEX variants_by_status ON variants (run, status);
-- Holds all that a history shows of a variant, so that one series is read from neighbouring pages, and no document of it.
CREATE INDEX variants_by_series
    ON variants (case_id, series, run, ordinal, id, status, time_estimate, time_low, time_high, revision);

CREATE TABLE launches (
    number             INTEGER PRIMARY KEY,
    variant            INTEGER NOT NULL REFERENCES variants (number) ON DELETE CASCADE,
    ordinal            INTEGER NOT NULL,
    started_ns         INTEGER NOT NULL, -- since the run began
    startup_ns         INTEGER NOT NULL,
    duration_ns        INTEGER NOT NULL,
    peak_rss_bytes     INTEGER,
    runtime_peak_bytes INTEGER,
    turns              BLOB    NOT NULL, -- raw samples, as described in src/turns.rs
    checksum           INTEGER NOT NULL, -- CRC-32 of all that the row holds, as described in src/checksum.rs
    UNIQUE (variant, ordinal)
);

-- What was said of a run's variants beside each other. Computed, as summaries are, and may be again. Which verdicts there are is the program's affair.
CREATE TABLE comparisons (
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

-- Concurrent work: a run that has targets in the place of variants.

CREATE TABLE loads (
    run      INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
    targets  INTEGER NOT NULL,
    failed   INTEGER NOT NULL DEFAULT 0, -- those of which nothing could be measured, or that didn't answer to the end
    document TEXT    NOT NULL,           -- JSON: what its report shows; empty while it is under way
    kept     BLOB    NOT NULL            -- its rounds and seconds with their histograms; opaque to the store
);
