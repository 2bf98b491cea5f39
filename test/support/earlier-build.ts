// The tables of a build before the schema, as far as they tell which build they are of.
export const EARLIER_BUILD = `CREATE TABLE site (epoch TEXT NOT NULL) STRICT;
  INSERT INTO site (epoch) VALUES ('0123456789abcdef');
  CREATE TABLE migrations (version INTEGER PRIMARY KEY, statement TEXT NOT NULL) STRICT;
  INSERT INTO migrations (statement) VALUES ('CREATE TABLE site'), ('CREATE TABLE settings')`
