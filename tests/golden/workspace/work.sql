BEGIN TRANSACTION;
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
INSERT INTO "_sqlite_migrations" VALUES(1,'onecause','first','2026-12-01 02:58:33.862049+00:00');
INSERT INTO "_sqlite_migrations" VALUES(2,'onecause','people_and_decisions','2026-12-01 02:58:33.867711+00:00');
INSERT INTO "_sqlite_migrations" VALUES(3,'onecause','flips_read','2026-12-01 02:58:33.870521+00:00');
INSERT INTO "_sqlite_migrations" VALUES(4,'onecause','what_stands_from_an_index','2026-12-01 02:58:33.879263+00:00');
INSERT INTO "_sqlite_migrations" VALUES(5,'onecause','who_imported_from_an_index','2026-12-01 02:58:33.883960+00:00');
CREATE TABLE assessors (assessor TEXT PRIMARY KEY, added_at TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "assessors" VALUES('ada','2026-01-02T03:04:05.000Z');
INSERT INTO "assessors" VALUES('bob','2026-01-02T03:04:05.000Z');
INSERT INTO "assessors" VALUES('eve','2026-01-02T03:04:05.000Z');
CREATE TABLE assignments (
    query_id TEXT NOT NULL, assessor TEXT NOT NULL, PRIMARY KEY (query_id, assessor)
) WITHOUT ROWID;
INSERT INTO "assignments" VALUES('q1','ada');
INSERT INTO "assignments" VALUES('q2','ada');
INSERT INTO "assignments" VALUES('q1','bob');
CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY, event_id TEXT UNIQUE NOT NULL, query_id TEXT NOT NULL,
    chunk_id TEXT NOT NULL, adjudicator TEXT NOT NULL, grade INTEGER, verdict TEXT NOT NULL,
    rule TEXT, note TEXT, decided_at TEXT NOT NULL
);
INSERT INTO "decisions" VALUES(1,'d1','q1','leave.md#0','eve',2,'grade','median','between','2026-01-02T03:04:05.000Z');
INSERT INTO "decisions" VALUES(2,'d2','q2','leave.md#0','eve',NULL,'unsure',NULL,NULL,'2026-01-02T03:04:05.000Z');
INSERT INTO "decisions" VALUES(3,'d3','q2','leave.md#0','eve',NULL,'undone',NULL,NULL,'2026-01-02T03:04:05.000Z');
CREATE TABLE flip_marks (
    seq INTEGER PRIMARY KEY, event_id TEXT UNIQUE NOT NULL, results_sha256 TEXT NOT NULL,
    baseline TEXT NOT NULL, treatment TEXT NOT NULL, query_id TEXT NOT NULL,
    verdict TEXT NOT NULL, comment TEXT, person TEXT NOT NULL, marked_at TEXT NOT NULL
);
INSERT INTO "flip_marks" VALUES(1,'f1','efefefefefefefefefefefefefefefefefefefefefefefefefefefefefefefef','plain','headed','q1','read','007','ada','2026-01-02T03:04:05.000Z');
CREATE TABLE judgements (
    seq INTEGER PRIMARY KEY, event_id TEXT UNIQUE NOT NULL, query_id TEXT NOT NULL,
    chunk_id TEXT NOT NULL, assessor TEXT NOT NULL, grade INTEGER, verdict TEXT NOT NULL,
    judged_at TEXT NOT NULL, active_seconds REAL, position INTEGER, method TEXT,
    text_sha256 TEXT, note TEXT, imported_from TEXT
);
INSERT INTO "judgements" VALUES(1,'a1','q1','leave.md#0','ada',3,'grade','2026-01-02T03:04:05.000Z',2.5,0,NULL,'1b0ebc2e9337dab84b4f2eac50840df6704bb1a5c919e6b8b066cf3651880154','NA',NULL);
INSERT INTO "judgements" VALUES(2,'a2','q1','parking.md#0','ada',0,'grade','2026-01-02T03:04:05.000Z',NULL,NULL,NULL,'5f4fe1ddd859a0607caa5ed852bbd64dea1cb518b25f758ed95a13a8cd0ed67c',NULL,NULL);
INSERT INTO "judgements" VALUES(3,'a3','q1','vpn.md#1','ada',NULL,'unsure','2026-01-02T03:04:05.000Z',NULL,NULL,NULL,'f3f232003af058a834242bff35597df54e44da521d0048934688bb16c767a8bb',NULL,NULL);
INSERT INTO "judgements" VALUES(4,'b1','q1','leave.md#0','bob',1,'grade','2026-01-02T03:04:05.000Z',NULL,NULL,'keys','1b0ebc2e9337dab84b4f2eac50840df6704bb1a5c919e6b8b066cf3651880154',NULL,NULL);
INSERT INTO "judgements" VALUES(5,'b2','q1','leave.md#1','bob',2,'grade','2026-01-02T03:04:05.000Z',NULL,NULL,NULL,'eb2b9ac640f6c76bb2d2baedeee4d6a26e0215139edf9f94177b93b59bceab6b',NULL,NULL);
INSERT INTO "judgements" VALUES(6,'b3','q1','leave.md#1','bob',NULL,'undone','2026-01-02T03:04:05.000Z',NULL,NULL,NULL,'eb2b9ac640f6c76bb2d2baedeee4d6a26e0215139edf9f94177b93b59bceab6b',NULL,NULL);
INSERT INTO "judgements" VALUES(7,'a4','q2','leave.md#0','ada',2,'grade','2026-01-02T03:04:05.000Z',NULL,NULL,NULL,'1b0ebc2e9337dab84b4f2eac50840df6704bb1a5c919e6b8b066cf3651880154',NULL,NULL);
INSERT INTO "judgements" VALUES(8,'b4','q2','leave.md#0','bob',0,'grade','2026-01-02T03:04:05.000Z',NULL,NULL,NULL,'1b0ebc2e9337dab84b4f2eac50840df6704bb1a5c919e6b8b066cf3651880154',NULL,NULL);
CREATE TABLE log_queries (
    query TEXT PRIMARY KEY, text TEXT NOT NULL, count INTEGER NOT NULL,
    variants TEXT NOT NULL, stratum TEXT
) WITHOUT ROWID;
INSERT INTO "log_queries" VALUES('007','007',2,'[["007", 2]]',NULL);
INSERT INTO "log_queries" VALUES('na','NA',1,'[["NA", 1]]',NULL);
INSERT INTO "log_queries" VALUES('notice','Notice',5,'[["Notice", 3], ["notice", 2]]','short');
CREATE TABLE logs (log_id INTEGER PRIMARY KEY, record TEXT NOT NULL);
INSERT INTO "logs" VALUES(1,'{"file": "searches.csv", "sha256": "abababababababababababababababababababababababababababababababab", "normalising": "folded", "queries": 3}');
CREATE TABLE pool (
    query_id TEXT NOT NULL REFERENCES queries (query_id), chunk_id TEXT NOT NULL,
    doc_id TEXT NOT NULL, text_sha256 TEXT NOT NULL, PRIMARY KEY (query_id, chunk_id)
) WITHOUT ROWID;
INSERT INTO "pool" VALUES('q1','leave.md#0','leave.md','1b0ebc2e9337dab84b4f2eac50840df6704bb1a5c919e6b8b066cf3651880154');
INSERT INTO "pool" VALUES('q1','leave.md#1','leave.md','eb2b9ac640f6c76bb2d2baedeee4d6a26e0215139edf9f94177b93b59bceab6b');
INSERT INTO "pool" VALUES('q1','parking.md#0','parking.md','5f4fe1ddd859a0607caa5ed852bbd64dea1cb518b25f758ed95a13a8cd0ed67c');
INSERT INTO "pool" VALUES('q1','vpn.md#1','vpn.md','f3f232003af058a834242bff35597df54e44da521d0048934688bb16c767a8bb');
INSERT INTO "pool" VALUES('q2','leave.md#0','leave.md','1b0ebc2e9337dab84b4f2eac50840df6704bb1a5c919e6b8b066cf3651880154');
INSERT INTO "pool" VALUES('q2','parking.md#0','parking.md','5f4fe1ddd859a0607caa5ed852bbd64dea1cb518b25f758ed95a13a8cd0ed67c');
INSERT INTO "pool" VALUES('q2','vpn.md#1','vpn.md','f3f232003af058a834242bff35597df54e44da521d0048934688bb16c767a8bb');
INSERT INTO "pool" VALUES('q3','leave.md#0','leave.md','1b0ebc2e9337dab84b4f2eac50840df6704bb1a5c919e6b8b066cf3651880154');
INSERT INTO "pool" VALUES('q3','parking.md#0','parking.md','5f4fe1ddd859a0607caa5ed852bbd64dea1cb518b25f758ed95a13a8cd0ed67c');
INSERT INTO "pool" VALUES('q3','vpn.md#1','vpn.md','f3f232003af058a834242bff35597df54e44da521d0048934688bb16c767a8bb');
CREATE TABLE pool_found (
    query_id TEXT NOT NULL, chunk_id TEXT NOT NULL, source TEXT NOT NULL,
    PRIMARY KEY (query_id, chunk_id, source)
) WITHOUT ROWID;
INSERT INTO "pool_found" VALUES('q1','leave.md#0','run:a.run');
INSERT INTO "pool_found" VALUES('q1','leave.md#0','system');
INSERT INTO "pool_found" VALUES('q1','leave.md#1','run:a.run');
INSERT INTO "pool_found" VALUES('q1','parking.md#0','system');
INSERT INTO "pool_found" VALUES('q1','vpn.md#1','system');
INSERT INTO "pool_found" VALUES('q2','leave.md#0','system');
INSERT INTO "pool_found" VALUES('q2','parking.md#0','system');
INSERT INTO "pool_found" VALUES('q2','vpn.md#1','system');
INSERT INTO "pool_found" VALUES('q3','leave.md#0','system');
INSERT INTO "pool_found" VALUES('q3','parking.md#0','system');
INSERT INTO "pool_found" VALUES('q3','vpn.md#1','system');
CREATE TABLE pool_sources (source TEXT PRIMARY KEY, record TEXT NOT NULL);
INSERT INTO "pool_sources" VALUES('system','{"source": "system", "kind": "model", "depth": 3}');
INSERT INTO "pool_sources" VALUES('run:a.run','{"source": "run:a.run", "kind": "run", "file": "a.run", "sha256": "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd", "depth": 2}');
CREATE TABLE queries (
    position INTEGER PRIMARY KEY, query_id TEXT UNIQUE NOT NULL, text TEXT NOT NULL, need TEXT,
    origin TEXT NOT NULL, stratum TEXT, log_count INTEGER, inclusion_probability REAL,
    weight REAL, filter TEXT, variants TEXT NOT NULL, "group" TEXT, skip_reason TEXT
);
INSERT INTO "queries" VALUES(1,'q1','Notice','How early must I tell my manager?','log','short',5,0.75,1.33333333333333325931e+00,NULL,'[["Notice", 3], ["notice", 2]]',NULL,NULL);
INSERT INTO "queries" VALUES(2,'q2','007',NULL,'log',NULL,2,0.5,2.0,NULL,'[]',NULL,NULL);
INSERT INTO "queries" VALUES(3,'q3','NA','What is not available?','authored',NULL,NULL,NULL,NULL,'{"team": "v"}','[]','g',NULL);
CREATE TABLE query_ends (
    assessor TEXT NOT NULL, query_id TEXT NOT NULL, outcome TEXT NOT NULL, reason TEXT,
    ended_at TEXT NOT NULL, PRIMARY KEY (assessor, query_id)
) WITHOUT ROWID;
INSERT INTO "query_ends" VALUES('ada','q1','finished',NULL,'2026-01-02T03:04:05.000Z');
INSERT INTO "query_ends" VALUES('bob','q2','skipped','two needs','2026-01-02T03:04:05.000Z');
CREATE TABLE roles (
    assessor TEXT PRIMARY KEY, email TEXT UNIQUE, may_judge INTEGER NOT NULL,
    may_freeze INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "roles" VALUES('ada','ada@example.org',1,1);
INSERT INTO "roles" VALUES('bob',NULL,1,0);
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO "settings" VALUES('name','"small"');
INSERT INTO "settings" VALUES('created_at','"2026-01-02T03:04:05.000Z"');
INSERT INTO "settings" VALUES('grades','[[0, "not relevant"], [1, "slightly"], [2, "relevant"], [3, "fully relevant"]]');
INSERT INTO "settings" VALUES('min_grade','2');
INSERT INTO "settings" VALUES('held_out_rule','{"salt": "00", "buckets": 2, "held_out": [0]}');
INSERT INTO "settings" VALUES('snapshot_name','"small"');
INSERT INTO "settings" VALUES('snapshot_digest','"0068446c5e89638a430c72b34dba54d3c8a65acd5286579d29ae360dafc9af86"');
INSERT INTO "settings" VALUES('order_seed','"seed"');
INSERT INTO "settings" VALUES('sample','{"design": "proportional", "size": 2, "seed": 13, "logs": [{"file": "searches.csv", "sha256": "abababababababababababababababababababababababababababababababab", "normalising": "folded", "queries": 3}]}');
INSERT INTO "settings" VALUES('seen','{"q3": "none"}');
INSERT INTO "settings" VALUES('authors','{"ada": "documents"}');
INSERT INTO "settings" VALUES('wording','{"checked": 1, "shared": []}');
INSERT INTO "settings" VALUES('assignment','{"assessors": ["ada", "bob"], "overlap": 0.5, "seed": 1, "at": "2026-01-02T03:04:05.000Z"}');
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
CREATE INDEX judgements_by_assessor ON judgements (assessor, query_id);
CREATE INDEX judgements_by_time ON judgements (judged_at, seq);
CREATE VIEW standing AS SELECT * FROM judgements AS j
WHERE verdict <> 'undone' AND seq = (
    SELECT max(seq) FROM judgements AS k
    WHERE k.query_id = j.query_id AND k.chunk_id = j.chunk_id AND k.assessor = j.assessor
);
CREATE INDEX assignments_by_assessor ON assignments (assessor, query_id);
CREATE INDEX decisions_by_pair ON decisions (query_id, chunk_id, seq)
;
CREATE INDEX flip_marks_by_results ON flip_marks (results_sha256, seq)
;
CREATE INDEX judgements_standing ON judgements (query_id, chunk_id, assessor, seq, verdict, grade);
CREATE INDEX judgements_imported ON judgements (assessor, imported_from) WHERE imported_from IS NOT NULL;
COMMIT;
