extension Hazard {
    private static let fixing = """
        CREATE FUNCTION fitiq.fix() RETURNS void LANGUAGE plpgsql AS $$
        BEGIN UPDATE fitiq.sd_meal SET notes = 'x'; END $$;

        """

    /// Statements that change or delete records without sending the change to devices.
    static let losing = [
        Hazard("TRUNCATE fitiq.sd_meal", "truncate"),
        Hazard("TRUNCATE TABLE ONLY fitiq.sd_meal CASCADE", "truncate"),
        Hazard("DO $$ BEGIN TRUNCATE TABLE fitiq.sd_meal; END $$", "truncate"),
        Hazard("-- sync: silent\nDELETE FROM fitiq.sd_meal", "records-deleted"),
        Hazard("-- sync: silent\nDELETE FROM fitiq.sd_meal WHERE alive", "records-deleted"),
        Hazard("-- sync: republish(SDMeal)\nDELETE FROM ONLY fitiq.sd_meal WHERE NOT alive", "records-deleted"),
        Hazard("-- sync: silent\nDELETE FROM fitiq.sd_meal USING fitiq.sd_workout AS w", "records-deleted"),
        Hazard(
            "-- sync: silent\nWITH moved AS (DELETE FROM fitiq.sd_meal WHERE alive RETURNING space_id, id)\n"
                + "INSERT INTO fitiq.meal_archive (space_id, id) SELECT space_id, id FROM moved", "records-deleted"),
        Hazard(
            "-- sync: silent\nWITH a AS (WITH b AS (SELECT 1) DELETE FROM fitiq.sd_meal RETURNING 1) SELECT * FROM a",
            "records-deleted"),
        Hazard(
            "-- sync: silent\nMERGE INTO fitiq.sd_meal AS m USING fitiq.sd_workout AS w ON m.id = w.id "
                + "WHEN MATCHED THEN DELETE", "records-deleted"),
        Hazard("-- sync: silent\nEXPLAIN ANALYZE DELETE FROM fitiq.sd_meal", "records-deleted"),
        Hazard("-- sync: silent\nPREPARE p AS DELETE FROM fitiq.sd_meal", "records-deleted"),
        Hazard("-- sync: silent\nDO $$ BEGIN DELETE FROM fitiq.sd_meal; END $$", "records-deleted"),
        Hazard("-- sync: silent\nDO LANGUAGE plpgsql 'BEGIN DELETE FROM fitiq.sd_meal; END'", "records-deleted"),
        Hazard(
            "-- sync: silent\nCREATE FUNCTION fitiq.f() RETURNS void BEGIN ATOMIC DELETE FROM fitiq.sd_meal; END;\n"
                + "SELECT fitiq.f()", "records-deleted"),
        Hazard(
            "-- sync: silent\nCREATE TEMP TABLE x AS WITH d AS (DELETE FROM fitiq.sd_meal RETURNING *) SELECT * FROM d",
            "records-deleted"),
        Hazard("UPDATE fitiq.sd_meal SET notes = '' WHERE id = 'x'", "data-without-effect"),
        Hazard("INSERT INTO fitiq.sd_meal (id) VALUES (NULL)", "data-without-effect"),
        Hazard("INSERT INTO fitiq.sd_meal (id) VALUES (NULL) ON CONFLICT DO NOTHING", "data-without-effect"),
        Hazard("EXPLAIN ANALYZE UPDATE fitiq.sd_meal SET notes = 'x'", "data-without-effect"),
        Hazard("EXPLAIN (ANALYZE on) INSERT INTO fitiq.sd_meal (id) VALUES (NULL)", "data-without-effect"),
        Hazard("PREPARE p AS UPDATE fitiq.sd_meal SET notes = ''", "data-without-effect"),
        Hazard(
            "COPY (WITH u AS (UPDATE fitiq.sd_meal SET notes = '' RETURNING 1) SELECT * FROM u) TO STDOUT",
            "data-without-effect"),
        Hazard("COPY fitiq.sd_meal (id) FROM STDIN", "data-without-effect"),
        Hazard(
            "WITH u AS (UPDATE fitiq.sd_meal SET notes = '' RETURNING 1) INSERT INTO sync.clamp SELECT * FROM u",
            "data-without-effect"),
        Hazard(
            "WITH u AS (INSERT INTO sync.clamp VALUES (1) RETURNING 1) UPDATE fitiq.sd_meal SET notes = '' FROM u",
            "data-without-effect"),
        Hazard("DO $$ BEGIN UPDATE fitiq.sd_meal SET notes = ''; END $$", "data-without-effect"),
        Hazard("DO $$ BEGIN INSERT INTO fitiq.\"sd_meal\" DEFAULT VALUES; END $$", "data-without-effect"),
        Hazard(fixing + "SELECT fitiq.fix()", "data-without-effect"),
        Hazard(fixing + "DO $$ BEGIN PERFORM fitiq.fix(); END $$", "data-without-effect"),
        Hazard(fixing + "EXPLAIN ANALYZE SELECT fitiq.fix()", "data-without-effect"),
        Hazard(
            fixing + "CREATE FUNCTION fitiq.g() RETURNS void LANGUAGE sql AS 'SELECT fitiq.fix()';\nSELECT fitiq.g()",
            "data-without-effect"),
        Hazard(
            "CREATE PROCEDURE fitiq.p() LANGUAGE sql AS 'UPDATE fitiq.sd_meal SET notes = $$x$$'; CALL fitiq.p()",
            "data-without-effect"),
        Hazard(fixing, "function-changes-records"),
        Hazard(
            "CREATE FUNCTION fitiq.t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN\n"
                + "MERGE INTO fitiq.sd_workout AS w USING fitiq.sd_meal AS m ON w.id = m.id WHEN MATCHED THEN DELETE;\n"
                + "RETURN NEW; END $$", "function-changes-records"),
        Hazard("-- sync: silent\nUPDATE fitiq.sd_meal SET alive = false WHERE id = 'x'", "own-columns"),
        Hazard("-- sync: silent\nUPDATE fitiq.sd_meal SET seq = seq + 1 WHERE id = 'x'", "own-columns"),
        Hazard(
            "-- sync: silent\nINSERT INTO fitiq.sd_meal (id) VALUES (NULL) ON CONFLICT (id) DO UPDATE SET stamp = 0",
            "own-columns"),
        Hazard(
            "-- sync: republish(SDSnack)\n-- phase: backfill\n-- migrate: table=fitiq.sd_meal\n"
                + "UPDATE fitiq.sd_meal AS t SET notes = '' FROM batch "
                + "WHERE (t.space_id, t.id) = (batch.space_id, batch.id)", "republish-entity"),
        Hazard("-- sync: republish(SDMealLog, Nobody)\nSELECT 1", "republish-entity"),
        Hazard("CREATE RULE r AS ON UPDATE TO fitiq.sd_meal DO INSTEAD NOTHING", "rewrite-rule"),
        Hazard("CREATE RULE r AS ON INSERT TO fitiq.sd_meal DO ALSO DELETE FROM fitiq.sd_workout", "rewrite-rule"),
        Hazard("DROP OWNED BY someone", "drop-owned"),
        Hazard("DROP OWNED BY CURRENT_USER CASCADE", "drop-owned"),
        Hazard("SELECT setval('fitiq.s', 1)", "reaching-function"),
    ]
}
