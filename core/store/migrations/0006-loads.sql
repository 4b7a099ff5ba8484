-- Concurrent work: a run that has targets in the place of variants.

CREATE TABLE loads (
    run      INTEGER PRIMARY KEY REFERENCES runs (number) ON DELETE CASCADE,
    targets  INTEGER NOT NULL,
    failed   INTEGER NOT NULL DEFAULT 0, -- those of which nothing could be measured, or that didn't answer to the end
    document TEXT    NOT NULL,           -- JSON: what its report shows; empty while it is under way
    kept     BLOB    NOT NULL            -- its rounds and seconds with their histograms; opaque to the store
);
