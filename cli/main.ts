#!/usr/bin/env node
import { printableLines } from '../exchange/printable.ts';
import { errorMessage, exitCodeOf } from './command-errors.ts';
import { main } from './program.ts';

// A closed pipe (`assay list | head`) is not an error: the command completes with its exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Node adds the class of the warning, the process id and advice on stack traces, which do not help with a cassette.
const nodeListeners = process.listeners('warning');
process.removeAllListeners('warning');
process.on('warning', (warning) => {
  if (warning.name === 'CassetteWarning')
    process.stderr.write(`warning: ${printableLines(warning.message)}\n`);
  else for (const listener of nodeListeners) listener(warning);
});

// Errors in callbacks of sockets and timers end the process like any other error.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${errorMessage(error) ?? ''}\n`);
  process.exit(exitCodeOf(error));
});

process.exitCode = await main(process.argv.slice(2));
