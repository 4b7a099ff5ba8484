-- What version 10 added to version 9.

-- Comparisons that share one error, counted. Deleting a run gives nothing back, so a session refers to none.
CREATE TABLE sessions (
    name        TEXT    PRIMARY KEY,
    comparisons INTEGER NOT NULL,        -- so many were begun
    newest      TEXT    NOT NULL         -- id of the run that began the last of them
) WITHOUT ROWID;
