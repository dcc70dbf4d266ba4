import { proveExtensions } from '../../pipeline/prove.ts';
import { isProofClean } from '../../proof/mutation-report.ts';
import { mutationSummary } from '../../reports/mutation.ts';
import type { Execute } from '../options/command.ts';
import { useNamedExtensions } from '../options/settings.ts';

export const execute: Execute<{ readonly side: 'server' | 'client' }> = async ({ args, flags, self }) => {
  const [cassette = ''] = args;
  await useNamedExtensions(self);
  const report = await proveExtensions(cassette, flags.side);
  process.stdout.write(`${mutationSummary(report, cassette).join('\n')}\n`);
  // A proof of no requirement must not look like a success.
  if (Object.keys(report.requirements).length === 0) return 2;
  return isProofClean(report) ? 0 : 1;
};
