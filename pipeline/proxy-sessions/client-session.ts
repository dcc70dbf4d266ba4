import type { Settings } from '../../drive/configuration/configuration.ts';
import { loadDialect } from '../dialects.ts';
import { startEmbeddedReference } from '../embedded-reference/embedded-reference.ts';

/** A service that answers a client under test. */
export interface AnsweringService {
  /** Base URL, with `/v1` where it is the reference. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The service that answers a client: the one of an address, else the embedded reference, which reads the beta header of the
 * dialect in force. Throws UsageError and DialectError for a dialect that cannot be read.
 */
export async function answeringService(
  { dialect }: Pick<Settings, 'dialect'>,
  { baseUrl, betaHeader }: { readonly baseUrl?: string; readonly betaHeader?: string },
): Promise<AnsweringService> {
  if (baseUrl !== undefined) return { url: baseUrl, close: async () => {} };
  const named = dialect === null ? null : (await loadDialect(dialect)).betaHeader;
  return startEmbeddedReference({ betaHeader: betaHeader ?? named ?? undefined });
}
