import type { AddCommand } from '../options/command.ts';
import { parseNumberOfParts } from '../options/flag-values.ts';

interface Flags {
  readonly parts: number;
  readonly out: string;
}

export const addCommand: AddCommand = (program, { finish }) => {
  program
    .command('partition')
    .description(
      'Cuts cassettes into parts by the resources that exchanges are about, such as threads and vector stores, so that what belongs ' +
        'together is judged together. Judge each part with `assay check --partial`, then combine the results with `assay merge`.',
    )
    .argument('<cassette...>', 'cassette folders')
    .requiredOption('--parts <n>', 'number of parts', parseNumberOfParts)
    .requiredOption('--out <dir>', 'folder for the parts, which are numbered from 0')
    .addHelpText('after', '\nExample:\n  assay partition day/00 day/01 --parts 8 --out parts')
    .action(async (paths: string[], { parts, out }: Flags) => {
      // Loaded here so that the help does not load the cassette reader.
      const { partition } = await import('../../pipeline/partial/partition.ts');
      const sizes = await partition(paths, { parts, out });
      for (const [index, size] of sizes.entries())
        process.stdout.write(`${out}/${index}  ${size} exchanges\n`);
      finish(0);
    });
};
