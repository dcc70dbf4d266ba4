// The real clients and their known findings.
import { readFileSync } from 'node:fs';

export interface RealClient {
  /** Name of the installed package, which differs between versions of a library. */
  readonly package: string;
  readonly name: string;
  /** Loaded lazily, because each is a large library. */
  readonly session: () => Promise<(baseUrl: string) => Promise<void>>;
  readonly findings: readonly KnownFinding[];
}

/** Findings that share one reason. Each was compared manually with the specification. */
export interface KnownFinding {
  readonly ids: readonly string[];
  readonly does: string;
  /** Why the client is, or is not, to blame. */
  readonly why: string;
}

function realClient(
  packageName: string,
  library: string,
  { session, findings }: Pick<RealClient, 'session' | 'findings'>,
): RealClient {
  const manifest = new URL(`../../node_modules/${packageName}/package.json`, import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }; // as: a manifest of npm
  return { package: packageName, name: `${library} ${version}`, session, findings };
}

/** The library sends one header for all beta features. */
const V1_HEADER: KnownFinding = {
  ids: [
    'createThread',
    'retrieveThread',
    'modifyThread',
    'deleteThread',
    'createRun',
    'createThreadAndRun',
    'listRunSteps',
    'retrieveRunStep',
  ].map((operation) => `client:${operation}:header.beta#value`),
  does: 'sends the header of v1 with threads, runs and run steps',
  why: 'correct: the specification names v1 only for assistants, their files, messages and their files (1 Endpoints)',
};
/** Deployed services have always expected days. */
const DAYS: KnownFinding = {
  ids: ['client:createVectorStore:body.expires_after.duration#required'],
  does: 'states the expiry of a vector store as `{anchor, days}`',
  why: 'correct, and excused by `--dialect openai`: the specification has `duration` in seconds, which is required (1 Vector stores)',
};

/** Clients in the order of the page that shows them. */
export const CLIENTS: readonly RealClient[] = [
  realClient('openai-v1', 'openai', {
    session: async () => (await import('./openai-4.36.0.ts')).openAIV1Session,
    findings: [V1_HEADER],
  }),
  realClient('openai', 'openai', {
    session: async () => (await import('./openai-4.47.1.ts')).openAIV2Session,
    findings: [DAYS],
  }),
  realClient('openai-latest', 'openai', {
    session: async () => (await import('./openai-latest.ts')).openAILatestSession,
    findings: [DAYS],
  }),
  realClient('@langchain/openai', '@langchain/openai', {
    session: async () => (await import('./langchain.ts')).langchainSession,
    findings: [],
  }),
  realClient('ai', 'ai with @ai-sdk/openai', {
    session: async () => (await import('./ai-sdk.ts')).aiSdkSession,
    findings: [],
  }),
];
