import type { AddCommand } from '../options/command.ts';
import { addConfigFlag, configUse } from '../options/config-file.ts';
import { addExtensionFlag, useNamedExtensions } from '../options/run-flags.ts';
import { columnsOf } from '../output/print-report.ts';

interface Flags {
  readonly example: boolean;
  readonly config?: boolean;
  readonly extension?: readonly string[];
  readonly baseUrl?: string;
  readonly report?: string;
}

const DEFAULT_COLUMNS = 100;

/** Prints each text as soon as it is ready: the examples take seconds. */
export const addCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('explain')
    .description(
      'Prints one requirement, choice or exclusion in full: its sentence, its section, the scenarios that show evidence ' +
        'of it, and what the last run found; for a requirement also a passing and a failing exchange, made with the embedded reference.',
    )
    .option('--no-example', 'leave the examples out')
    .option(
      '--base-url <url>',
      'target of the printed command (default: ASSAY_BASE_URL, then that of the last run)',
    )
    .option('--report <path>', 'report.json of a run, or its folder (default: assay-report, if it has one)')
    .argument('<id>', 'id, as assay list prints it');
  addConfigFlag(addExtensionFlag(command), 'data')
    .addHelpText('after', "\nExample:\n  assay explain 'file:bytes#type'")
    .action(async (id: string, { example, baseUrl, report, extension, config }: Flags) => {
      const { keyVariable } = await useNamedExtensions(extension, configUse(config, 'data'));
      const { explainRequirement } = await import('../../pipeline/listing/explain-requirement.ts');
      const target = baseUrl ?? process.env['ASSAY_BASE_URL'] ?? null;
      const width = columnsOf(process.stdout) ?? DEFAULT_COLUMNS;
      const options = {
        examples: example ? 'made' : 'omitted',
        width,
        baseUrl: target,
        keyVariable,
        report: report ?? null,
      } as const;
      for await (const text of explainRequirement(id, options)) process.stdout.write(text);
      finish(0);
    });
};
