import type { AddCommand } from '../options/command.ts';
import { addExtensionFlag, useNamedExtensions } from '../options/run-flags.ts';
import { columnsOf } from '../output/print-report.ts';

interface Flags {
  /** False with `--no-example`. */
  readonly example: boolean;
  /** Files of extensions, whose requirements can be explained, too. */
  readonly extension?: readonly string[];
  /** The target of the command that the explanation proposes. */
  readonly baseUrl?: string;
  /** Report of the run to look into. */
  readonly report?: string;
}

/** Columns of a page that is not a terminal. */
const DEFAULT_COLUMNS = 100;

/**
 * `assay explain ID`: one requirement, choice or exclusion in full. Examples are made by running the scenarios of the
 * requirement against the embedded reference, which takes seconds; each text is printed as soon as it is known.
 */
export const explainCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('explain')
    .description(
      'Prints one requirement, choice or exclusion in full: its sentence, its section, and the scenarios that show ' +
        'evidence for it, and what the last run found; for a requirement also an exchange that passes and one that fails, made with the embedded reference.',
    )
    .option('--no-example', 'leave the examples out')
    .option(
      '--base-url <url>',
      'target of the command that is printed (default: that of ASSAY_BASE_URL, then of the last run)',
    )
    .option('--report <path>', 'report.json of a run, or its folder (default: assay-report, if it has one)')
    .argument('<id>', 'id, as assay list prints it');
  addExtensionFlag(command)
    .addHelpText('after', "\nExample:\n  assay explain 'file:bytes#type'")
    .action(async (id: string, { example, baseUrl, report, extension }: Flags) => {
      const { keyVariable } = await useNamedExtensions(extension);
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
      // The sentence of the requirement is known at once and printed before the scenarios of the examples
      // have run.
      for await (const text of explainRequirement(id, options)) process.stdout.write(text);
      finish(0);
    });
};
