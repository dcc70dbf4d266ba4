import { extensionPart, proveCassette } from '../../pipeline/prove.ts';
import { hasNoSurvivors } from '../../proof/mutation-report.ts';
import { mutationSummary } from '../../reports/mutation.ts';
import type { Execute } from '../options/command.ts';
import { useNamedExtensions } from '../options/settings.ts';

interface Flags {
  readonly side: 'server' | 'client';
}

export const execute: Execute<Flags> = async ({ args: [cassette = ''], flags: { side }, self }) => {
  await useNamedExtensions(self);
  const report = extensionPart(await proveCassette(cassette, { side }));
  process.stdout.write(`${mutationSummary(report, cassette).join('\n')}\n`);
  if (Object.keys(report.requirements).length === 0) return 2;
  return hasNoSurvivors(report) ? 0 : 1;
};
