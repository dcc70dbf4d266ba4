// Real clients that are judged, and what was found by hand to be right about their findings.

/** A client, its session, and the findings that it is known to have. */
export interface RealClient {
  readonly name: string;
  /** Loaded when it is needed: each is a large library. */
  readonly session: () => Promise<(baseUrl: string) => Promise<void>>;
  /** By requirement what the client does; each was compared with the specification by hand. */
  readonly findings: Readonly<Record<string, string>>;
}

/** In the order of the page that shows them. */
export const CLIENTS: readonly RealClient[] = [
  { name: 'openai 4.36.0', session: async () => (await import('./openai-4.36.0.ts')).session, findings: {} },
  { name: 'openai 4.47.1', session: async () => (await import('./openai-4.47.1.ts')).session, findings: {} },
  { name: 'openai 7.57.0', session: async () => (await import('./openai-latest.ts')).session, findings: {} },
  {
    name: '@langchain/openai 1.5.8',
    session: async () => (await import('./langchain.ts')).session,
    findings: {},
  },
  { name: 'ai 6.0.326', session: async () => (await import('./ai-sdk.ts')).session, findings: {} },
];
