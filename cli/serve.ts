import { Option } from 'commander';
import type { Fault } from '../reference/service.ts';
import type { AddCommand } from './command.ts';
import { keepUp } from './serving.ts';
import { keyIn, port, seconds, whole } from './values.ts';

interface Flags {
  readonly port: number;
  readonly seed?: number;
  readonly stateDelay?: number;
  readonly fault?: Fault;
  readonly apiKeyEnv?: string;
  readonly betaHeader?: string;
}

/** `assay serve`: the reference service, for clients to be tried against. */
export const serve: AddCommand = (program, { finish, command }) => {
  program
    .command('serve')
    .summary('serve the reference service')
    .description(
      'Serves the whole specification on 127.0.0.1, deterministically. Prints its URL as the first line; ' +
        'ends on Ctrl-C, or with the command given after --.',
    )
    .option('--port <n>', 'port to listen on', port, 0)
    .option('--seed <n>', 'decides every identifier and every word', whole)
    .option('--state-delay <s>', 'seconds a resource stays in a state (default: until it is read)', seconds)
    .addOption(new Option('--fault <id>', 'misbehave on purpose').choices(['rate-limit']))
    .option('--api-key-env <name>', 'require the key in this variable (default: any key, or none)')
    .option('--beta-header <name>', 'name of the beta header that clients send (Vendor-Beta)')
    .usage('[options] [-- command]')
    .addHelpText('after', '\nExample:\n  assay serve --port 8000\n  assay serve -- npm test')
    .action(async (flags: Flags) => {
      const { startReference } = await import('../reference/service.ts');
      const reference = await startReference({
        port: flags.port,
        seed: flags.seed,
        stateDelay: flags.stateDelay,
        fault: flags.fault,
        betaHeader: flags.betaHeader,
        apiKey: flags.apiKeyEnv === undefined ? undefined : keyIn(flags.apiKeyEnv),
      });
      try {
        finish(await keepUp(reference, command));
      } finally {
        await reference.close();
      }
    });
};
