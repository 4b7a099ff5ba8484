-- Runs, their variants, and the launches of these, in a schema of their own. Unsigned 64-bit figures are stored as the signed integer of
-- the same bits. Texts that may hold U+0000, which PostgreSQL's can't, are escaped as src/postgres/text.rs says. Texts that others choose
-- may be longer than an index takes, so such are found by a digest beside them.

CREATE TABLE tare.runs (
    number   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id       TEXT COLLATE "C" NOT NULL UNIQUE,
    started  TEXT COLLATE "C" NOT NULL,  -- RFC 3339, UTC
    finished TEXT,                       -- RFC 3339, UTC; NULL while measuring, or when the process was killed
    state    TEXT NOT NULL CHECK (state IN ('running', 'complete', 'interrupted')),
    seed     TEXT NOT NULL,              -- decimal
    policy   BIGINT NOT NULL,            -- version of the correction policy
    tare     TEXT NOT NULL,              -- version of Tare
    machine  TEXT NOT NULL,              -- JSON object of strings
    git      TEXT NOT NULL,              -- JSON object of strings
    findings TEXT NOT NULL,              -- JSON array
    imported TEXT,                       -- JSON object; NULL for runs that Tare measured
    request  TEXT NOT NULL,              -- what was asked for; opaque to the store
    failures TEXT NOT NULL DEFAULT '[]'  -- JSON array: what couldn't be loaded or listed, and has no variant
);
CREATE INDEX runs_by_start ON tare.runs (started, id);
CREATE INDEX runs_by_state ON tare.runs (state, started, id);

-- Who measures a run, and in which attempt: a number that grows each time the run is given to somebody. What an earlier attempt still
-- sends is refused by it.
CREATE TABLE tare.leases (
    run     BIGINT PRIMARY KEY REFERENCES tare.runs (number) ON DELETE CASCADE,
    attempt BIGINT NOT NULL,
    owner   TEXT,                        -- JSON; NULL when nobody has it
    renewed TIMESTAMPTZ NOT NULL         -- by the server's clock
) WITH (fillfactor = 50);

CREATE TABLE tare.run_tags (
    run      BIGINT NOT NULL REFERENCES tare.runs (number) ON DELETE CASCADE,
    position BIGINT NOT NULL,            -- order in which the user gave them
    tag      TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run, position)
);
CREATE INDEX run_tags_by_tag ON tare.run_tags (left(tag, 200), run);

CREATE TABLE tare.variants (
    number        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run           BIGINT NOT NULL REFERENCES tare.runs (number) ON DELETE CASCADE,
    ordinal       BIGINT NOT NULL,
    id            TEXT COLLATE "C" NOT NULL,
    key           BYTEA NOT NULL,        -- digest of the id
    series        BYTEA NOT NULL,        -- digest of the case's id and of series_name
    case_id       TEXT COLLATE "C" NOT NULL,
    benchmark     TEXT NOT NULL,
    parameters    TEXT,                  -- name of the set; NULL for a benchmark without parameters
    runtime       TEXT COLLATE "C" NOT NULL,
    language      TEXT NOT NULL,
    status        TEXT CHECK (status IN ('ok', 'failed', 'skipped', 'interrupted')),
    time_estimate DOUBLE PRECISION,      -- nanoseconds per call, tared
    time_low      DOUBLE PRECISION,
    time_high     DOUBLE PRECISION,
    variant       TEXT NOT NULL,         -- JSON
    calibration   TEXT,                  -- JSON
    outcome       TEXT,                  -- JSON
    summary       TEXT,                  -- JSON; computed from the launches, and may be again
    -- Whose history it belongs to: a side of a comparison of revisions belongs to its runtime's, at its own commit, whatever the revision was called
    -- when it was measured.
    series_name   TEXT COLLATE "C" NOT NULL DEFAULT '',
    revision      TEXT,                  -- of a side: its commit, and ` with changes`
    UNIQUE (run, ordinal),
    UNIQUE (run, key)
);
CREATE INDEX variants_by_series ON tare.variants (series, run);

CREATE TABLE tare.launches (
    run                BIGINT NOT NULL,
    variant            BIGINT NOT NULL REFERENCES tare.variants (number) ON DELETE CASCADE,
    attempt            BIGINT NOT NULL,  -- in which it was measured
    ordinal            BIGINT NOT NULL,
    started_ns         BIGINT NOT NULL,  -- since the run began
    startup_ns         BIGINT NOT NULL,
    duration_ns        BIGINT NOT NULL,
    peak_rss_bytes     BIGINT,
    runtime_peak_bytes BIGINT,
    checksum           BIGINT NOT NULL,  -- as described in src/checksum.rs
    turns              BYTEA NOT NULL,   -- raw samples, as described in src/turns.rs
    PRIMARY KEY (run, variant, attempt, ordinal),
    -- Attempts go on where an earlier one stopped: no launch is there twice.
    UNIQUE (variant, ordinal)
);
-- The samples are compressed already.
ALTER TABLE tare.launches ALTER COLUMN turns SET STORAGE EXTERNAL;

CREATE TABLE tare.comparisons (
    run       BIGINT NOT NULL REFERENCES tare.runs (number) ON DELETE CASCADE,
    ordinal   BIGINT NOT NULL,
    base      TEXT NOT NULL,             -- id of the variant; one of another run's where stored runs are compared
    candidate TEXT NOT NULL,             -- likewise
    kind      TEXT NOT NULL,
    verdict   TEXT NOT NULL,
    ratio     DOUBLE PRECISION,          -- candidate over base, of the tared time per call; NULL where it is undefined
    low       DOUBLE PRECISION,
    high      DOUBLE PRECISION,
    document  TEXT NOT NULL,             -- JSON
    PRIMARY KEY (run, ordinal)
);

CREATE TABLE tare.loads (
    run      BIGINT PRIMARY KEY REFERENCES tare.runs (number) ON DELETE CASCADE,
    targets  BIGINT NOT NULL,
    failed   BIGINT NOT NULL,
    document TEXT NOT NULL,              -- JSON: what its report shows; empty while it is under way
    kept     BYTEA NOT NULL              -- its rounds and seconds with their histograms; opaque to the store
);
