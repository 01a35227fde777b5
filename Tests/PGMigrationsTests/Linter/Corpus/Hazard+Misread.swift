extension Hazard {
    private static let long = String(repeating: "n", count: 64)
    private static let wide = String(repeating: "é", count: 32)

    /// Statements that PostgreSQL or the runner would read differently from what their author meant.
    static let misread = [
        Hazard("-- phase: expand\nSELECT 1; -- phase: contract\nSELECT 2", .refused),
        Hazard("-- Phase: expand\nSELECT 1", .refused),
        Hazard("-- phase : contract\nSELECT 1", .refused),
        Hazard("/* phase: contract */ SELECT 1", .refused),
        Hazard("-- phase: contract\n-- require: census(<2.0.0)=0 for 30d\nSELECT 1", .refused),
        Hazard("-- phase: contract\n-- requires census(<2.0.0)=0 for 30d\nSELECT 1", .refused),
        Hazard("-- snyc: silent\nSELECT 1", .refused),
        Hazard("-- migrate transaction=none\nSELECT 1", .refused),
        Hazard("-- migrate: tabel=fitiq.sd_meal\nSELECT 1", .refused),
        Hazard("-- lnit: allow(rename) because nobody has ever served it\nSELECT 1", .refused),
        Hazard("ALTER TABLE\u{A0} fitiq.sd_meal ADD COLUMN x text", .refused),
        Hazard("SELECT 1\u{200B}", .refused),
        Hazard("CREATE INDEX CONCURRENTLY IF NOT EXISTS \(long) ON fitiq.sd_meal (space_id)", .refused),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN \(long) text", .refused),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN \"\(wide)\" text", .refused),
        Hazard("CREATE TABLE fitiq.\(long) (LIKE sync.record INCLUDING ALL)", .refused),
        Hazard("SELECT * FROM fitiq.\(long)", .refused),
        Hazard("DO $$ BEGIN PERFORM fitiq.\(long)(); END $$", .refused),
        Hazard("DROP TRIGGER \(long) ON fitiq.sd_meal", .refused),
        Hazard("SELECT (", .refused),
        Hazard("-- lint: allow(rename) because so\nALTER TABLE fitiq.a RENAME TO b", "allow-without-reason"),
        Hazard("-- lint: alow(rename) because nobody has served it\nSELECT 1", "allow-unknown-rule"),
        Hazard("-- lint: allow(rename) because nobody has ever served it\nSELECT 1", "allow-unused"),
    ]

    /// Hazards that the linter misses. docs/migrations.md lists them with the other checks that find them.
    static let missed = [
        Hazard("ALTER TABLE fitiq.sd_meal ALTER notes DROP NOT NULL", .missed),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x int", .missed),
        Hazard("ALTER TABLE fitiq.sd_meal ADD COLUMN x jsonb", .missed),
        Hazard("ALTER TABLE fitiq.sd_meal ALTER seq DROP DEFAULT", .missed),
        Hazard("ALTER TABLE fitiq.sd_meal DROP CONSTRAINT calories_can_be_sent", .missed),
        Hazard("ALTER TABLE fitiq.sd_meal SET (autovacuum_enabled = off)", .missed),
        Hazard("ALTER TABLE fitiq.sd_meal INHERIT fitiq.sd_workout", .missed),
        Hazard("ALTER TABLE fitiq.a ATTACH PARTITION fitiq.b DEFAULT", .missed),
        Hazard("REVOKE SELECT ON fitiq.sd_meal FROM syncserver_serving", .missed),
        Hazard("GRANT SELECT ON fitiq.sd_meal TO someone", .missed),
        Hazard(
            "CREATE TRIGGER t BEFORE INSERT ON fitiq.sd_meal FOR EACH ROW EXECUTE FUNCTION fitiq.made_elsewhere()",
            .missed),
        Hazard(
            "CREATE FUNCTION fitiq.f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$", .missed),
        Hazard(
            "CREATE FUNCTION fitiq.f() RETURNS void LANGUAGE plpgsql AS "
                + "$$ BEGIN EXECUTE 'DELETE FROM fitiq.sd_meal'; END $$", .missed),
        Hazard("SET LOCAL search_path = public", .missed),
        Hazard("SELECT to_regclass('fitiq.\(long)')", .missed),
        Hazard("SELECT * FROM fitiq.sd_meal AS a, fitiq.sd_meal AS b", .missed),
        Hazard("SELECT 1 FROM fitiq.sd_meal FOR UPDATE", .missed),
        Hazard(
            "-- migrate: transaction=none\nCREATE INDEX CONCURRENTLY IF NOT EXISTS i ON fitiq.sd_meal "
                + "(space_id, notes, seq, alive)", .missed),
        Hazard("-- sync: silent\nINSERT INTO fitiq.sd_meal (id) VALUES (NULL)", .missed),
    ]
}
