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
    request  TEXT    NOT NULL            -- what was asked for; opaque to the store
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
    UNIQUE (run, ordinal),
    UNIQUE (run, id)
);
CREATE INDEX variants_by_status ON variants (run, status);
-- Holds all that a history shows of a variant, so that one series is read from neighbouring pages.
CREATE INDEX variants_by_series
    ON variants (case_id, runtime, run, ordinal, id, status, time_estimate, time_low, time_high);

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
    UNIQUE (variant, ordinal)
);
