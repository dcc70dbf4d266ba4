// Makes the run of a request. Unless a choice differs, each setting is that of the request, else of the assistant, else
// the default (1 Runs).
import { type Assistant, assistantsOf } from '../assistants/assistants.routes.ts';
import {
  type ResponseFormat,
  resolveResources,
  type Tool,
  type ToolResources,
  type WireResources,
} from '../assistants/tools.ts';
import { ApiError, shorten } from '../http/api-error.ts';
import type { Metadata } from '../http/json.ts';
import { compilePartCheck } from '../http/validation.ts';
import { modelsOf } from '../model/catalogue.ts';
import type { Service } from '../state/service.ts';
import type { WireMessage } from './messages.ts';
import type { Run, ToolChoice, Truncation } from './run-objects.ts';
import type { Thread } from './thread-store.ts';

const RUN_LIFETIME_SECONDS = 600;

/** The specification does not show the fields of this object in a request. `last_messages` requires a number. */
const checkTruncation = compilePartCheck({
  type: 'object',
  properties: {
    type: { enum: ['auto', 'last_messages'] },
    last_messages: { type: ['integer', 'null'], minimum: 1 },
  },
  if: { required: ['type'], properties: { type: { const: 'last_messages' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['last_messages'], properties: { last_messages: { type: 'integer' } } },
});

/** Validated body of a request to start a run; null counts as omitted. */
export interface RunFields {
  readonly assistant_id: string;
  readonly model?: string | null;
  readonly instructions?: string | null;
  readonly additional_instructions?: string | null;
  readonly additional_messages?: readonly WireMessage[] | null;
  readonly tools?: readonly Tool[] | null;
  readonly tool_resources?: WireResources | null;
  readonly metadata?: Metadata | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly stream?: boolean | null;
  readonly max_prompt_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly truncation_strategy?: { readonly type?: string; readonly last_messages?: number | null } | null;
  readonly tool_choice?: ToolChoice | null;
  readonly response_format?: ResponseFormat | null;
  /** Beyond the specification; only `false` has an effect. */
  readonly parallel_tool_calls?: unknown;
}

export function needRunAssistant(service: Service, id: string): Assistant {
  const assistant = assistantsOf(service).get(id);
  if (assistant !== undefined) return assistant;
  throw new ApiError(404, `No assistant found with id '${shorten(id)}'.`, { param: 'assistant_id' });
}

/** An unknown model makes the run fail, unless the service takes another alternative. @throws ApiError 400 or 404 */
function modelFor(service: Service, requested: string, assistant: Assistant): string {
  const models = modelsOf(service);
  if (models.all.get(requested) === undefined) {
    const alternative = service.takes('runs.model.unknown');
    if (alternative === 'failed') return requested;
    if (alternative === 'answered') return assistant.model;
  }
  return models.need(requested, 'chat').id;
}

/** @throws ApiError 400 or 404 for an invalid setting. */
export function makeRun(service: Service, thread: Thread, assistant: Assistant, fields: RunFields): Run {
  const model = modelFor(service, fields.model ?? assistant.model, assistant);
  const tools = fields.tools ?? assistant.tools;
  const tool_choice = checkToolChoice(fields.tool_choice ?? 'auto', tools);
  const created_at = service.now();
  return {
    id: service.id('run_'),
    object: 'thread.run',
    created_at,
    assistant_id: assistant.id,
    thread_id: thread.id,
    status: 'queued',
    started_at: null,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    required_action: null,
    last_error: null,
    incomplete_details: null,
    usage: null,
    expires_at: created_at + RUN_LIFETIME_SECONDS,
    model,
    instructions: joinInstructions(
      fields.instructions ?? assistant.instructions,
      service.takes('runs.additional-instructions.told') === 'told' ? fields.additional_instructions : null,
    ),
    tools,
    tool_resources: resourcesOf(service, assistant, fields.tool_resources),
    metadata: fields.metadata ?? {},
    temperature: fields.temperature ?? inheritSetting(service, 'temperature', assistant.temperature) ?? 1,
    top_p: fields.top_p ?? inheritSetting(service, 'top-p', assistant.top_p) ?? 1,
    max_prompt_tokens: fields.max_prompt_tokens ?? null,
    max_completion_tokens: fields.max_completion_tokens ?? null,
    truncation_strategy: readTruncation(service, fields.truncation_strategy),
    response_format:
      fields.response_format ??
      inheritSetting(service, 'response-format', assistant.response_format) ??
      'auto',
    tool_choice,
    file_ids: assistant.files.values().map(({ id }) => id),
    parallel_tool_calls: fields.parallel_tool_calls !== false,
  };
}

function inheritSetting<T>(service: Service, setting: string, inherited: T): T | null {
  return service.takes(`runs.assistant.${setting}`) === 'the default' ? null : inherited;
}

function joinInstructions(instructions: string | null, more: string | null | undefined): string | null {
  const parts = [instructions, more].filter((part) => part !== null && part !== undefined && part !== '');
  return parts.length === 0 ? instructions : parts.join('\n');
}

/** Each kind of resource that the run sets overrides the assistant's. */
function resourcesOf(
  service: Service,
  { tool_resources }: Assistant,
  requested: RunFields['tool_resources'],
): ToolResources {
  return structuredClone({
    ...inheritSetting(service, 'tool-resources', tool_resources),
    ...resolveResources(service, requested),
  });
}

function checkToolChoice(choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  if (choice === 'none' || choice === 'auto') return choice;
  if (choice === 'required') {
    if (tools.length > 0) return choice;
    throw ApiError.invalid('tool_choice', "'tool_choice' is 'required', but the run has no tools.");
  }
  if (tools.some((tool) => isChosen(tool, choice))) return choice;
  const name = choice.type === 'function' ? choice.function.name : choice.type;
  throw ApiError.invalid(
    'tool_choice',
    `'tool_choice' names '${shorten(name)}', which is not among the run's tools.`,
  );
}

function isChosen(tool: Tool, choice: Exclude<ToolChoice, string>): boolean {
  if (choice.type === 'function')
    return tool.type === 'function' && tool.function.name === choice.function.name;
  return tool.type === choice.type;
}

function readTruncation(service: Service, wire: RunFields['truncation_strategy']): Truncation {
  if ((wire ?? null) === null && service.takes('runs.truncation.default') === 'another')
    return { type: 'last_messages', last_messages: 50 };
  const strategy = wire ?? {};
  checkTruncation(strategy, 'truncation_strategy');
  return { type: strategy.type ?? 'auto', last_messages: strategy.last_messages ?? null };
}
