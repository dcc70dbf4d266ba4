#!/usr/bin/env node
import { errorMessage, exitCodeOf } from './command-errors.ts';
import { main } from './program.ts';

// A reader that closes the pipe (`assay list | head`) is not an error: the command completes and ends with its exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// An error thrown in a callback of a socket or a timer ends the process with the message and exit code of any
// other error.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${errorMessage(error) ?? ''}\n`);
  process.exit(exitCodeOf(error));
});

process.exitCode = await main(process.argv.slice(2));
