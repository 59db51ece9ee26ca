"""An ended evaluation's figures are stored once, and forgotten by the database when a row they are made of changes.

The triggers are plain ones: nothing that ignores other triggers makes a stored figure stale.
"""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

# Who changes a judgement holds its evaluation's row until it commits (KEY SHARE hinders nobody but who stores figures:
# services.figures waits for it). An ended evaluation loses its figures, and what is being worked out counts no more.
# While it is judged, the number of its scores tells what is kept of it (queries.aggregate_cache): only a conversation
# that changes, which changes no number, raises the version then.
FORGET = """
CREATE FUNCTION evaluations_forget_figures(ids uuid[], of_active boolean) RETURNS void LANGUAGE plpgsql AS $ratiba$
BEGIN
  PERFORM 1 FROM evaluations_evaluation WHERE id = ANY(ids) ORDER BY id FOR KEY SHARE;
  UPDATE evaluations_evaluation SET sums = NULL, figures_version = figures_version + 1
    WHERE id = ANY(ids) AND (of_active OR status NOT IN ('pending', 'running'));
  DELETE FROM evaluations_storedfigure WHERE evaluation_id = ANY(ids);
END $ratiba$;

CREATE FUNCTION evaluations_judgements_changed() RETURNS trigger LANGUAGE plpgsql AS $ratiba$
DECLARE ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN SELECT array_agg(DISTINCT evaluation_id) INTO ids FROM new_rows;
  ELSIF TG_OP = 'DELETE' THEN SELECT array_agg(DISTINCT evaluation_id) INTO ids FROM old_rows;
  ELSE
    SELECT array_agg(DISTINCT n.evaluation_id) INTO ids FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE (o.status, o.weighted_score, o.fingerprint, o.by_fallback, o.late, o.evaluation_id, o.conversation_id)
      IS DISTINCT FROM
      (n.status, n.weighted_score, n.fingerprint, n.by_fallback, n.late, n.evaluation_id, n.conversation_id);
  END IF;
  IF ids IS NOT NULL THEN PERFORM evaluations_forget_figures(ids, false); END IF;
  RETURN NULL;
END $ratiba$;

CREATE FUNCTION evaluations_scores_changed() RETURNS trigger LANGUAGE plpgsql AS $ratiba$
DECLARE judged uuid[]; ids uuid[];
BEGIN
  IF TG_OP = 'INSERT' THEN SELECT array_agg(DISTINCT judgement_id) INTO judged FROM new_rows;
  ELSIF TG_OP = 'DELETE' THEN SELECT array_agg(DISTINCT judgement_id) INTO judged FROM old_rows;
  ELSE
    SELECT array_agg(DISTINCT n.judgement_id) INTO judged FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE to_jsonb(o) - ARRAY['reason', 'evidence', 'opinions'] <> to_jsonb(n) - ARRAY['reason', 'evidence', 'opinions']
      OR jsonb_path_query_array(o.evidence, '$[*].kind') <> jsonb_path_query_array(n.evidence, '$[*].kind')
      OR jsonb_path_query_array(o.opinions, '$[*].score') <> jsonb_path_query_array(n.opinions, '$[*].score')
      OR jsonb_path_query_array(o.opinions, '$[*].purpose') <> jsonb_path_query_array(n.opinions, '$[*].purpose');
  END IF;
  SELECT array_agg(DISTINCT evaluation_id) INTO ids FROM evaluations_judgement WHERE id = ANY(judged);
  IF ids IS NOT NULL THEN PERFORM evaluations_forget_figures(ids, false); END IF;
  RETURN NULL;
END $ratiba$;

CREATE FUNCTION evaluations_conversation_changed() RETURNS trigger LANGUAGE plpgsql AS $ratiba$
DECLARE ids uuid[];
BEGIN
  SELECT array_agg(DISTINCT evaluation_id) INTO ids FROM evaluations_judgement WHERE conversation_id = NEW.id;
  IF ids IS NOT NULL THEN PERFORM evaluations_forget_figures(ids, true); END IF;
  RETURN NULL;
END $ratiba$;

CREATE FUNCTION evaluations_evaluation_moved() RETURNS trigger LANGUAGE plpgsql AS $ratiba$
BEGIN
  NEW.sums := NULL;
  NEW.figures_version := OLD.figures_version + 1;
  DELETE FROM evaluations_storedfigure WHERE evaluation_id = NEW.id;
  RETURN NEW;
END $ratiba$;

CREATE TRIGGER figures_by_insert AFTER INSERT ON evaluations_judgement REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION evaluations_judgements_changed();
CREATE TRIGGER figures_by_update AFTER UPDATE ON evaluations_judgement
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION evaluations_judgements_changed();
CREATE TRIGGER figures_by_delete AFTER DELETE ON evaluations_judgement REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION evaluations_judgements_changed();
CREATE TRIGGER figures_by_insert AFTER INSERT ON evaluations_criterionscore REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION evaluations_scores_changed();
CREATE TRIGGER figures_by_update AFTER UPDATE ON evaluations_criterionscore
  REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION evaluations_scores_changed();
CREATE TRIGGER figures_by_delete AFTER DELETE ON evaluations_criterionscore REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION evaluations_scores_changed();
CREATE TRIGGER figures_by_conversation AFTER UPDATE OF blame, language, spec, labels, kind, external_id
  ON runs_conversation
  FOR EACH ROW WHEN (OLD.blame IS DISTINCT FROM NEW.blame OR OLD.language IS DISTINCT FROM NEW.language
    OR OLD.spec IS DISTINCT FROM NEW.spec OR OLD.labels IS DISTINCT FROM NEW.labels
    OR OLD.kind IS DISTINCT FROM NEW.kind OR OLD.external_id IS DISTINCT FROM NEW.external_id)
  EXECUTE FUNCTION evaluations_conversation_changed();
CREATE TRIGGER figures_by_status BEFORE UPDATE OF status ON evaluations_evaluation
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION evaluations_evaluation_moved();
CREATE TRIGGER figures_by_plan BEFORE UPDATE OF snapshot, options, subject ON evaluations_evaluation
  FOR EACH ROW WHEN (OLD.snapshot IS DISTINCT FROM NEW.snapshot OR OLD.options IS DISTINCT FROM NEW.options
    OR OLD.subject IS DISTINCT FROM NEW.subject) EXECUTE FUNCTION evaluations_evaluation_moved();
"""
REMEMBER = """
DROP TRIGGER figures_by_plan ON evaluations_evaluation;
DROP TRIGGER figures_by_status ON evaluations_evaluation;
DROP TRIGGER figures_by_conversation ON runs_conversation;
DROP TRIGGER figures_by_delete ON evaluations_criterionscore;
DROP TRIGGER figures_by_update ON evaluations_criterionscore;
DROP TRIGGER figures_by_insert ON evaluations_criterionscore;
DROP TRIGGER figures_by_delete ON evaluations_judgement;
DROP TRIGGER figures_by_update ON evaluations_judgement;
DROP TRIGGER figures_by_insert ON evaluations_judgement;
DROP FUNCTION evaluations_evaluation_moved();
DROP FUNCTION evaluations_conversation_changed();
DROP FUNCTION evaluations_scores_changed();
DROP FUNCTION evaluations_judgements_changed();
DROP FUNCTION evaluations_forget_figures(uuid[], boolean);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0019_staging_connections"),
        ("evaluations", "0006_reasons_found_by_words"),
        ("runs", "0016_search_words"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredFigure",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=40)),
                ("value", models.JSONField()),
            ],
        ),
        migrations.AddField(
            model_name="evaluation",
            name="figures_version",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddIndex(
            model_name="evaluation",
            index=models.Index(
                condition=models.Q(
                    ("status__in", ["completed", "failed", "timeout", "cancelled"]),
                    models.Q(("sums__has_key", "shape"), _negated=True),
                ),
                fields=["id"],
                name="evaluation_figures_due",
            ),
        ),
        migrations.AddField(
            model_name="storedfigure",
            name="evaluation",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="evaluations.evaluation",
            ),
        ),
        migrations.AddConstraint(
            model_name="storedfigure",
            constraint=models.UniqueConstraint(fields=("evaluation", "name"), name="one_figure_of_a_name"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="storedfigure",
            trigger=pgtrigger.compiler.Trigger(
                name="figure_is_computed",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (current_setting('ratiba.sums_of', true) IS DISTINCT FROM NEW.evaluation_id::text)",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot insert or update rows from % table', TG_TABLE_NAME;",
                    hash="7841287127ce0e8e0265d393d42c57af9b1af549",
                    operation="INSERT OR UPDATE",
                    pgid="pgtrigger_figure_is_computed_be6ba",
                    table="evaluations_storedfigure",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.RunSQL(FORGET, REMEMBER),
    ]
