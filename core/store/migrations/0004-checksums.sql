-- CRC-32 of a launch: of all that its row holds, as described in src/checksum.rs. NULL for launches of a time before there was
-- one; of these the samples alone have a checksum, their own.

ALTER TABLE launches ADD COLUMN checksum INTEGER;
