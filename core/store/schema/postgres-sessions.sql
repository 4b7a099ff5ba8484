-- What version 5 added to version 4.

-- Comparisons that share one error, counted. Deleting a run gives nothing back, so a session refers to none.
CREATE TABLE tare.sessions (
    name        TEXT COLLATE "C" PRIMARY KEY,
    comparisons BIGINT NOT NULL,         -- so many were begun
    newest      TEXT   NOT NULL          -- id of the run that began the last of them
);
