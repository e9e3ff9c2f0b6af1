-- The pinned columns of one transcript line, as a struct: the only place that names and types them.
--
-- raw takes its shape from here: a field added here is a column of raw after the next refresh,
-- filled from the stored lines without reading a file. The line is parsed once, by one from_json
-- with a nested structure (measured: 0.5 s for 263 MB, where a list of ->> took 3.2 s); the
-- optimizer computes the shared from_json once however often its fields are named.
--
-- A value that cannot be cast to the type named becomes NULL, never an error; in a text column
-- numbers, objects and lists become their JSON text.
--
-- Flags are false where a line has none, never NULL: DuckDB 2.0.0 skips row groups in which a flag
-- is true or NULL when a filter asks for those that are not true.
--
-- Seen in Claude Code 1.0.24 to 2.1.261. A progress record of 2.1.9 to 2.1.63 can carry a whole
-- response of a sub-agent (data.message): its ids and usage are pinned too, and is_nested says so.
--
-- Columns:
--   session_id              session the line names (sessionId)
--   type                    record type: user, assistant, system, attachment, …
--   subtype                 subtype of a system record
--   attachment_type         attachment.type of an attachment record
--   progress_type           data.type of a progress record
--   uuid                    identity of the record; copies of a record keep it
--   parent_uuid             record this one follows
--   logical_parent_uuid     record that a compaction boundary follows
--   project_path            working directory (cwd)
--   git_branch              branch checked out there
--   version                 version of the agent program
--   entrypoint              how the program was started: cli, sdk-cli, claude-vscode, …
--   user_type               userType, external wherever seen
--   slug                    three-word name of the session
--   team_name               team of a team worker
--   is_meta                 true on lines the program wrote for the model
--   is_sidechain            true on lines of a sub-agent
--   is_compact_summary      true on the summary that follows a compaction
--   is_api_error            true on an assistant line that reports an API error
--   is_nested               true where ids and usage come from a nested progress record
--   agent_id                sub-agent the line names (agentId), or its progress record (data.agentId)
--   duration_ms             duration the record states, milliseconds
--   timestamp               time of the record; NULL where it is none, or before 1970 or after 9999
--   request_id              API request the response came from (requestId)
--   message_id              API id of the response (message.id)
--   role                    role of the message
--   model                   model that wrote the response
--   stop_reason             why the response ended; NULL on lines written while it streamed
--   prompt_id               groups the lines of one turn (2.1.88 and later)
--   prompt_source           typed, sdk, system, queued, … (2.1.220 and later)
--   permission_mode         permission mode the line names
--   operation               enqueue, dequeue, remove or popAll of a queue-operation record
--   origin_kind             who wrote a user line: human, task-notification, peer
--   tool_use_id             tool call the record is about (toolUseID)
--   parent_tool_use_id      tool call that a progress record reports on (parentToolUseID)
--   source_tool_use_id      tool call that injected the line (sourceToolUseID)
--   tool_denial_kind        why a call was refused: user-rejected, permission-rule, automode-blocked, …
--   interrupted_message_id  response that an interruption cut off
--   attribution_skill       skill the line is attributed to
--   attribution_plugin      plugin the line is attributed to
--   attribution_agent       agent type the line is attributed to
--   attribution_mcp_server  MCP server the line is attributed to
--   attribution_mcp_tool    MCP tool the line is attributed to
--   title                   text of a custom-title, ai-title or agent-name record
--   error_kind              error name on an assistant line: rate_limit, authentication_failed, …
--   api_error_status        HTTP status on such a line (apiErrorStatus; 2.1.220 and later)
--   result_agent_id         sub-agent that a tool result tells of (toolUseResult.agentId)
--   result_run_id           workflow run that it tells of (toolUseResult.runId)
--   result_model            model that the sub-agent was given (toolUseResult.resolvedModel)
--   forked_from             session the line was copied from (forkedFrom.sessionId), where it says so
--   cost_usd                cost the agent recorded on the line (costUSD), USD
--   input_tokens            usage.input_tokens: input that no cache served
--   output_tokens           usage.output_tokens as this line has it
--   cache_read_tokens       usage.cache_read_input_tokens
--   cache_creation_tokens   usage.cache_creation_input_tokens, both lifetimes together
--   cache_5m_tokens         part of it written for five minutes
--   cache_1h_tokens         part of it written for one hour
--   reasoning_tokens        part of output_tokens spent on thinking (2.1.229 and later)
--   web_search_requests     web searches the API made
--   web_fetch_requests      web fetches the API made
--   speed                   usage.speed: standard or fast
--   service_tier            usage.service_tier: standard, batch, …
--   inference_geo           usage.inference_geo
--   iterations              usage.iterations where it has more than one entry
CREATE OR REPLACE MACRO line_struct(line) AS
    from_json(line, '{
        "sessionId": "VARCHAR", "type": "VARCHAR", "subtype": "VARCHAR", "uuid": "VARCHAR", "parentUuid": "VARCHAR",
        "logicalParentUuid": "VARCHAR", "cwd": "VARCHAR", "gitBranch": "VARCHAR", "version": "VARCHAR",
        "entrypoint": "VARCHAR", "userType": "VARCHAR", "slug": "VARCHAR", "teamName": "VARCHAR", "isMeta": "BOOLEAN",
        "isSidechain": "BOOLEAN", "isCompactSummary": "BOOLEAN", "isApiErrorMessage": "BOOLEAN", "agentId": "VARCHAR",
        "durationMs": "BIGINT", "timestamp": "TIMESTAMPTZ", "requestId": "VARCHAR", "promptId": "VARCHAR",
        "promptSource": "VARCHAR", "permissionMode": "VARCHAR", "operation": "VARCHAR", "toolUseID": "VARCHAR",
        "parentToolUseID": "VARCHAR", "sourceToolUseID": "VARCHAR", "toolDenialKind": "VARCHAR", "interruptedMessageId": "VARCHAR",
        "attributionSkill": "VARCHAR", "attributionPlugin": "VARCHAR", "attributionAgent": "VARCHAR",
        "attributionMcpServer": "VARCHAR", "attributionMcpTool": "VARCHAR", "customTitle": "VARCHAR",
        "aiTitle": "VARCHAR", "agentName": "VARCHAR", "error": "VARCHAR", "costUSD": "DOUBLE",
        "apiErrorStatus": "VARCHAR",
        "toolUseResult": {"agentId": "VARCHAR", "runId": "VARCHAR", "resolvedModel": "VARCHAR"},
        "forkedFrom": {"sessionId": "VARCHAR"},
        "origin": {"kind": "VARCHAR"},
        "attachment": {"type": "VARCHAR"},
        "message": {"id": "VARCHAR", "role": "VARCHAR", "model": "VARCHAR", "stop_reason": "VARCHAR",
            "usage": {"input_tokens": "BIGINT", "output_tokens": "BIGINT", "cache_read_input_tokens": "BIGINT",
                "cache_creation_input_tokens": "BIGINT", "service_tier": "VARCHAR", "inference_geo": "VARCHAR",
                "speed": "VARCHAR", "iterations": "JSON",
                "cache_creation": {"ephemeral_5m_input_tokens": "BIGINT", "ephemeral_1h_input_tokens": "BIGINT"},
                "server_tool_use": {"web_search_requests": "BIGINT", "web_fetch_requests": "BIGINT"},
                "output_tokens_details": {"thinking_tokens": "BIGINT"}}},
        "data": {"type": "VARCHAR", "agentId": "VARCHAR",
            "message": {"type": "VARCHAR", "requestId": "VARCHAR",
                "message": {"id": "VARCHAR", "role": "VARCHAR", "model": "VARCHAR", "stop_reason": "VARCHAR",
                    "usage": {"input_tokens": "BIGINT", "output_tokens": "BIGINT", "cache_read_input_tokens": "BIGINT",
                        "cache_creation_input_tokens": "BIGINT", "service_tier": "VARCHAR", "inference_geo": "VARCHAR",
                        "speed": "VARCHAR",
                        "cache_creation": {"ephemeral_5m_input_tokens": "BIGINT", "ephemeral_1h_input_tokens": "BIGINT"},
                        "server_tool_use": {"web_search_requests": "BIGINT", "web_fetch_requests": "BIGINT"}}}}}
    }');

CREATE OR REPLACE MACRO flat_columns(j) AS
    {
        'session_id': nullif(j.sessionId, ''),
        'type': j.type,
        'subtype': j.subtype,
        'attachment_type': j.attachment.type,
        'progress_type': j.data.type,
        'uuid': nullif(j.uuid, ''),
        'parent_uuid': j.parentUuid,
        'logical_parent_uuid': j.logicalParentUuid,
        'project_path': nullif(j.cwd, ''),
        'git_branch': nullif(j.gitBranch, ''),
        'version': j.version,
        'entrypoint': j.entrypoint,
        'user_type': j.userType,
        'slug': j.slug,
        'team_name': j.teamName,
        'is_meta': coalesce(j.isMeta, false),
        'is_sidechain': coalesce(j.isSidechain, false),
        'is_compact_summary': coalesce(j.isCompactSummary, false),
        'is_api_error': coalesce(j.isApiErrorMessage, false),
        'is_nested': j.data.message.message.id IS NOT NULL,
        'agent_id': nullif(coalesce(j.agentId, j.data.agentId), ''),
        'duration_ms': j.durationMs,
        'timestamp': CASE WHEN j.timestamp BETWEEN '1970-01-01 00:00:00+00' AND '9999-12-31 00:00:00+00' THEN j.timestamp END,
        'request_id': coalesce(nullif(j.requestId, ''), nullif(j.data.message.requestId, '')),
        'message_id': coalesce(nullif(j.message.id, ''), nullif(j.data.message.message.id, '')),
        'role': coalesce(j.message.role, j.data.message.message.role),
        'model': coalesce(j.message.model, j.data.message.message.model),
        'stop_reason': coalesce(j.message.stop_reason, j.data.message.message.stop_reason),
        'prompt_id': j.promptId,
        'prompt_source': j.promptSource,
        'permission_mode': j.permissionMode,
        'operation': j.operation,
        'origin_kind': j.origin.kind,
        'tool_use_id': j.toolUseID,
        'parent_tool_use_id': j.parentToolUseID,
        'source_tool_use_id': j.sourceToolUseID,
        'tool_denial_kind': j.toolDenialKind,
        'interrupted_message_id': j.interruptedMessageId,
        'attribution_skill': j.attributionSkill,
        'attribution_plugin': j.attributionPlugin,
        'attribution_agent': j.attributionAgent,
        'attribution_mcp_server': j.attributionMcpServer,
        'attribution_mcp_tool': j.attributionMcpTool,
        'title': coalesce(j.customTitle, j.aiTitle, j.agentName),
        'error_kind': CASE WHEN j.type = 'assistant' THEN j.error END,
        'api_error_status': j.apiErrorStatus,
        'result_agent_id': nullif(j.toolUseResult.agentId, ''),
        'result_run_id': nullif(j.toolUseResult.runId, ''),
        'result_model': nullif(j.toolUseResult.resolvedModel, ''),
        'forked_from': nullif(j.forkedFrom.sessionId, ''),
        'cost_usd': j.costUSD,
        'input_tokens': coalesce(j.message.usage.input_tokens, j.data.message.message.usage.input_tokens),
        'output_tokens': coalesce(j.message.usage.output_tokens, j.data.message.message.usage.output_tokens),
        'cache_read_tokens': coalesce(j.message.usage.cache_read_input_tokens, j.data.message.message.usage.cache_read_input_tokens),
        'cache_creation_tokens': coalesce(j.message.usage.cache_creation_input_tokens, j.data.message.message.usage.cache_creation_input_tokens),
        'cache_5m_tokens': coalesce(j.message.usage.cache_creation.ephemeral_5m_input_tokens, j.data.message.message.usage.cache_creation.ephemeral_5m_input_tokens),
        'cache_1h_tokens': coalesce(j.message.usage.cache_creation.ephemeral_1h_input_tokens, j.data.message.message.usage.cache_creation.ephemeral_1h_input_tokens),
        'reasoning_tokens': j.message.usage.output_tokens_details.thinking_tokens,
        'web_search_requests': coalesce(j.message.usage.server_tool_use.web_search_requests, j.data.message.message.usage.server_tool_use.web_search_requests),
        'web_fetch_requests': coalesce(j.message.usage.server_tool_use.web_fetch_requests, j.data.message.message.usage.server_tool_use.web_fetch_requests),
        'speed': coalesce(j.message.usage.speed, j.data.message.message.usage.speed),
        'service_tier': coalesce(j.message.usage.service_tier, j.data.message.message.usage.service_tier),
        'inference_geo': nullif(coalesce(j.message.usage.inference_geo, j.data.message.message.usage.inference_geo), ''),
        'iterations': CASE WHEN json_array_length(j.message.usage.iterations) > 1 THEN j.message.usage.iterations END
    };

CREATE OR REPLACE MACRO pinned_columns(line) AS
    flat_columns(line_struct(line));
