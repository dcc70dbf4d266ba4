#!/usr/bin/env node
import { errorMessage, exitCodeOf } from './command-errors.ts';
import { main } from './program.ts';

// A closed pipe (`assay list | head`) is not an error: the command completes with its exit code.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

// Errors in callbacks of sockets and timers end the process like any other error.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${errorMessage(error) ?? ''}\n`);
  process.exit(exitCodeOf(error));
});

process.exitCode = await main(process.argv.slice(2));
