import type { CostClass } from '../../schemas/index.ts';

/** A named claim for one common kind of server, with the reason for each part. */
export interface ClaimProfile {
  /** Value of `--claim`. */
  readonly name: string;
  readonly says: string;
  readonly claims: readonly { readonly name: string; readonly reason: string }[];
  /** Cost classes that a run has to allow beyond the default ones, or these operations are not exercised. */
  readonly allow: readonly CostClass[];
}

const READ_MODELS = [
  { name: 'listModels', reason: 'clients look up the available models' },
  {
    name: 'retrieveModel',
    reason: 'clients check one model before they use it; deleting needs a trained model',
  },
];

/** The profiles that `--claim` accepts in addition to families and operations; `assay list --profiles` prints them. */
export const CLAIM_PROFILES: readonly ClaimProfile[] = [
  {
    name: 'chat-server',
    says: 'a server of language models, as local inference engines are',
    claims: [
      { name: 'chat', reason: 'what clients use it for' },
      { name: 'completions', reason: 'older clients, and tools that complete plain text' },
      ...READ_MODELS,
    ],
    allow: [],
  },
  {
    name: 'gateway',
    says: 'a proxy before several inference services',
    claims: [
      { name: 'chat', reason: 'most of its traffic' },
      { name: 'completions', reason: 'older clients, and tools that complete plain text' },
      ...READ_MODELS,
      { name: 'images', reason: 'forwarded to services for images' },
      { name: 'audio', reason: 'forwarded to services for speech' },
      { name: 'moderations', reason: 'forwarded, and used by the gateway itself' },
    ],
    allow: ['images', 'audio'],
  },
  {
    name: 'assistants',
    says: 'a service of stateful assistants alone, without inference endpoints',
    claims: [
      {
        name: 'assistants-v2',
        reason: 'the current form; claim assistants-v1 and assistant-files for the earlier one',
      },
      { name: 'threads', reason: 'hold the conversations' },
      { name: 'messages', reason: 'fill the conversations' },
      { name: 'runs', reason: 'let an assistant reply' },
      { name: 'run-steps', reason: 'show what a run has done' },
      { name: 'vector-stores', reason: 'what the file search reads' },
      { name: 'vector-store-files', reason: 'put files into a store one by one' },
      { name: 'vector-store-file-batches', reason: 'put many files into a store at once' },
      { name: 'files', reason: 'tools and stores refer to uploaded files' },
      ...READ_MODELS,
    ],
    allow: [],
  },
];

/** The distinct names, with each profile replaced by its claims. */
export function withoutProfiles(names: readonly string[]): readonly string[] {
  return [
    ...new Set(
      names.flatMap(
        (name) => CLAIM_PROFILES.find((one) => one.name === name)?.claims.map((part) => part.name) ?? [name],
      ),
    ),
  ];
}
