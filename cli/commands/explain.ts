import { explainRequirement } from '../../pipeline/listing/explain-requirement.ts';
import type { Execute } from '../options/command.ts';
import { readExplainSettings } from '../options/settings.ts';
import { columnsOf } from '../output/terminal.ts';

interface Flags {
  readonly example: boolean;
  readonly baseUrl?: string;
  readonly report?: string;
}

const DEFAULT_COLUMNS = 100;

/** Prints each text as soon as it is ready, because the examples take seconds. */
export const execute: Execute<Flags> = async ({ args: [id = ''], flags, self }) => {
  const options = {
    hasExamples: flags.example,
    width: columnsOf(process.stdout) ?? DEFAULT_COLUMNS,
    baseUrl: flags.baseUrl ?? (process.env['ASSAY_BASE_URL'] || null),
    ...(await readExplainSettings(self)),
    report: flags.report ?? null,
  } as const;
  for await (const text of explainRequirement(id, options)) process.stdout.write(text);
  return 0;
};
