-- denial_kind(field, tool_use_result): why a tool call was refused, NULL where it was not.
--
-- What the record says (toolDenialKind: user-rejected, permission-rule, automode-blocked,
-- automode-unavailable; 2.1.220 and later), else user-rejected where the result is the program's
-- fixed sentence for a refusal. The result is the text of a failed tool_result, or toolUseResult,
-- which has "Error: " before it or is "User rejected tool use" (2.1.25 and later). A result that
-- did not fail may quote the sentence: give NULL for it.
--
-- denial_kind_source(field, tool_use_result) says where the kind was read: field or result-string.
-- The view tool_results has the same rule written out, since views call no macros; a test holds
-- the two together.
CREATE OR REPLACE MACRO denial_kind(field, tool_use_result) AS
    CASE
        WHEN field IS NOT NULL THEN field
        WHEN tool_use_result = 'User rejected tool use'
            OR starts_with(tool_use_result, 'The user doesn''t want to proceed with this tool use.')
            OR starts_with(tool_use_result, 'The user doesn''t want to take this action right now.')
            OR starts_with(tool_use_result, 'Error: The user doesn''t want to proceed with this tool use.')
            OR starts_with(tool_use_result, 'Error: The user doesn''t want to take this action right now.')
        THEN 'user-rejected'
    END;

CREATE OR REPLACE MACRO denial_kind_source(field, tool_use_result) AS
    CASE
        WHEN field IS NOT NULL THEN 'field'
        WHEN denial_kind(NULL, tool_use_result) IS NOT NULL THEN 'result-string'
    END;
