import { Option } from 'commander';
import type { AddCommand } from '../options/command.ts';
import { addConfigFlag, configUse } from '../options/config-file.ts';
import { addExtensionFlag, useNamedExtensions } from '../options/run-flags.ts';

interface Flags {
  readonly side: 'server' | 'client';
  readonly config?: boolean;
  readonly extension?: readonly string[];
}

export const addCommand: AddCommand = (program, { finish }) => {
  const command = program
    .command('prove')
    .description(
      'Mutation testing of the requirements of an extension, on the recorded run of a conforming target: every change of ' +
        'the trace that violates a requirement must be noticed, and no harmless change may be. Without an extension it ' +
        'tests the requirements of assay. Exits with 0 if both hold, 1 if not, 2 if nothing can be proved.',
    )
    .addOption(
      new Option('--side <name>', 'whose requirements').choices(['server', 'client']).default('server'),
    )
    .argument('<cassette>', 'cassette folder of a run that conforms');
  addConfigFlag(addExtensionFlag(command), 'whole')
    .addHelpText('after', '\nExample:\n  assay prove assay-report/cassette --extension extension.json')
    .action(async (cassette: string, { side, extension, config }: Flags) => {
      await useNamedExtensions(extension, configUse(config, 'whole'));
      const [{ extensionPart, proveCassette }, { mutationSummary }, { hasNoSurvivors }] = await Promise.all([
        import('../../pipeline/prove.ts'),
        import('../../reports/mutation.ts'),
        import('../../proof/mutation-report.ts'),
      ]);
      const report = extensionPart(await proveCassette(cassette, { side }));
      process.stdout.write(`${mutationSummary(report, cassette).join('\n')}\n`);
      const isEmpty = Object.keys(report.requirements).length === 0;
      finish(isEmpty ? 2 : hasNoSurvivors(report) ? 0 : 1);
    });
};
