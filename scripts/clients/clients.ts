import { readFileSync } from 'node:fs';

export interface RealClient {
  /** Name of the installed package, which differs between versions of a library. */
  readonly package: string;
  readonly name: string;
  /** Loaded lazily, because each is a large library. */
  readonly session: () => Promise<(baseUrl: string) => Promise<void>>;
  readonly findings: readonly KnownFindings[];
}

/** Findings that share one reason. Each was compared manually with the specification. */
export interface KnownFindings {
  readonly ids: readonly string[];
  readonly does: string;
  /** Why the client is, or is not, to blame. */
  readonly why: string;
}

function defineClient(
  packageName: string,
  library: string,
  { session, findings }: Pick<RealClient, 'session' | 'findings'>,
): RealClient {
  return { package: packageName, name: nameWithVersion(packageName, library), session, findings };
}

export function nameWithVersion(packageName: string, library: string): string {
  const manifest = new URL(`../../node_modules/${packageName}/package.json`, import.meta.url);
  // as: each npm package has a version
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return `${library} ${version}`;
}

/** The library sends one header for all beta features. */
const V1_HEADER: KnownFindings = {
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
/** The library follows deployed services, which have always expected days. */
const EXPIRY_IN_DAYS: KnownFindings = {
  ids: ['client:createVectorStore:body.expires_after.duration#required'],
  does: 'states the expiry of a vector store as `{anchor, days}`',
  why: 'correct, and excused by `--dialect openai`: the specification has `duration` in seconds, which is required (1 Vector stores)',
};

export const CLIENTS: readonly RealClient[] = [
  defineClient('openai-v1', 'openai', {
    session: async () => (await import('./openai-4.36.0.ts')).runOpenAIV1Session,
    findings: [V1_HEADER],
  }),
  defineClient('openai', 'openai', {
    session: async () => (await import('./openai-4.47.1.ts')).runOpenAIV2Session,
    findings: [EXPIRY_IN_DAYS],
  }),
  defineClient('openai-latest', 'openai', {
    session: async () => (await import('./openai-latest.ts')).runOpenAILatestSession,
    findings: [EXPIRY_IN_DAYS],
  }),
  defineClient('@langchain/openai', '@langchain/openai', {
    session: async () => (await import('./langchain.ts')).runLangchainSession,
    findings: [],
  }),
  defineClient('ai', 'ai with @ai-sdk/openai', {
    session: async () => (await import('./ai-sdk.ts')).runAiSdkSession,
    findings: [],
  }),
];

/**
 * The arguments of `assay client` that judge one of the clients. `script`: the arguments of node that run a session,
 * without the package of the client.
 */
export function clientArguments(
  client: RealClient,
  script: readonly string[],
  reportDir: string,
): readonly string[] {
  const program = [process.execPath, ...script, '--session', client.package];
  return ['client', '--dialect', 'openai', '--report', 'json', '--report-dir', reportDir, '--', ...program];
}
