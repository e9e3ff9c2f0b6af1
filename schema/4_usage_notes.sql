-- usage_notes(since, until, project, host, agent, session): what to know beside a total, a line each.
--
-- How many tokens have no price and of which models, how much of the output is a lower bound, and
-- which premiums are not in the prices. No rows where there is nothing to say. The parameters are
-- those of the reports.
CREATE OR REPLACE MACRO usage_notes(from_time, to_time, in_project, on_host, by_agent, in_session) AS TABLE
    WITH used AS (
        SELECT
            model,
            cost_usd IS NULL AND total_tokens > 0 AS is_unpriced,
            total_tokens,
            output_tokens,
            is_output_partial,
            premium_not_modelled
        FROM message_usage
        WHERE NOT is_attempt
            AND date_filter(timestamp, from_time, to_time)
            AND project_filter(project_path, in_project)
            AND host_filter(host, on_host)
            AND agent_filter(agent, by_agent)
            AND session_filter(session_id, in_session)
    ),
    counted AS (
        SELECT
            coalesce(sum(total_tokens) FILTER (is_unpriced), 0)::BIGINT AS unpriced_tokens,
            string_agg(DISTINCT coalesce(model, 'no model'), ', ' ORDER BY coalesce(model, 'no model')) FILTER (is_unpriced) AS unpriced_models,
            coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
            coalesce(sum(output_tokens) FILTER (is_output_partial), 0)::BIGINT AS partial_tokens,
            count(*) FILTER (is_output_partial) AS partial_responses,
            count(*) AS responses,
            count(premium_not_modelled) AS premium_responses,
            string_agg(DISTINCT premium_not_modelled, ', ' ORDER BY premium_not_modelled) AS premiums
        FROM used
    )
    SELECT note
    FROM (
        SELECT
            1 AS place,
            format('no price for {:,} tokens of {}; see warehouse query unpriced-models', unpriced_tokens, unpriced_models) AS note
        FROM counted
        WHERE unpriced_tokens > 0
        UNION ALL
        SELECT
            2 AS place,
            format(
                'the output of {:,} of {:,} responses ({:.1f} % of the output) is a lower bound: versions before 2.1.88 often left out the final count',
                partial_responses,
                responses,
                100.0 * partial_tokens / greatest(output_tokens, 1)
            ) AS note
        FROM counted
        WHERE partial_responses > 0
        UNION ALL
        SELECT
            3 AS place,
            format('{:,} responses may have cost more, by premiums that have no price: {}', premium_responses, premiums) AS note
        FROM counted
        WHERE premium_responses > 0
    )
    ORDER BY place;
