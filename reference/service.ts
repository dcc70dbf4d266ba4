import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alternativeTaken, type Selection, unusualAlternatives } from './choices/table.ts';
import { needFaults } from './faults/known.ts';
import { createReferenceServer, type ReferenceServer } from './server.ts';
import { idMint } from './state/ids.ts';
import type { Service } from './state/service.ts';

export interface ReferenceOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number | undefined;
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Decides every identifier and every choice of the stand-in model. Default 1. */
  readonly seed?: number | undefined;
  /** Requests with another key, or none, are answered with 401. Default: keys are not checked. */
  readonly apiKey?: string | undefined;
  /** The key of a second organization, which has its own objects. Default: there is none. */
  readonly secondKey?: string | undefined;
  /** Name of the header field that selects a version. Default: `Vendor-Beta`. */
  readonly betaHeader?: string | undefined;
  /** Seconds a resource stays in a state; 0, the default: until it is read. */
  readonly stateDelay?: number | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: (() => number) | undefined;
  /** Seconds of its clock that pass per second. Default 1; ignored with `clock`. */
  readonly pace?: number | undefined;
  /** Parent of a new folder for uploads, which is removed on close. Default: the temporary directory of the system. */
  readonly directory?: string | undefined;
  /** Whether runs have a small model: it calls no tool, writes no JSON, stops late, and has a context of 512 tokens. Default false. */
  readonly smallModel?: boolean | undefined;
  /** How every run ends, because of its model. Default: as its work requires. */
  readonly runsEnd?: Service['runsEnd'] | undefined;
  /** Faults to inject, separated by commas, as `assay serve --fault` takes them. */
  readonly fault?: string | undefined;
  /** Behaviour where the specification leaves it open. Default: the usual alternative of every choice. */
  readonly choices?: Selection | undefined;
}

export interface Reference {
  /** Base URL, with `/v1`. */
  readonly url: string;
  /** Stops listening, closes open connections and deletes all files. */
  close(): Promise<void>;
}

/**
 * Starts the reference service.
 * @throws when the port is taken or the directory cannot be written; UnknownFault when the fault does not exist.
 */
export async function serveReference(options: ReferenceOptions = {}): Promise<Reference> {
  const faults = options.fault === undefined ? [] : needFaults(options.fault);
  const parent = options.directory ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const directory = await mkdtemp(join(parent, 'assay-reference-'));
  let reference: ReferenceServer | undefined;
  try {
    const services = makeServices(options, directory, () => {
      if (reference === undefined) throw new Error('the service is not listening yet');
      return reference;
    });
    reference = await createReferenceServer(services, {
      faults,
      alternatives: unusualAlternatives(options.choices ?? new Map()),
    });
    const { http } = reference;
    await listen(http, options.port ?? 0, options.host ?? '127.0.0.1');
    return {
      url: `${services[0].origin()}/v1`,
      close: async () => {
        await close(http);
        await rm(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function pacedClock(pace: number): () => number {
  const began = Date.now();
  return () => began + Math.floor((Date.now() - began) * pace);
}

/** One for each organization: they share nothing but clock, ids and connections. */
function makeServices(
  options: ReferenceOptions,
  directory: string,
  reference: () => ReferenceServer,
): readonly [Service, ...Service[]] {
  const clock = options.clock ?? pacedClock(options.pace ?? 1);
  const seed = options.seed ?? 1;
  const apiKey = options.apiKey ?? null;
  const choices = options.choices ?? new Map();
  const account = (organization: string, key: string | null) => ({
    apiKey: key,
    organization,
    post: (url: string, body: unknown) =>
      reference().post(url, key === null ? {} : { authorization: `Bearer ${key}` }, body),
  });
  const service: Service = {
    ...account('org-reference', apiKey),
    first: null,
    seed,
    betaHeader: (options.betaHeader ?? 'Vendor-Beta').toLowerCase(),
    stateDelay: options.stateDelay ?? 0,
    smallModel: options.smallModel ?? false,
    runsEnd: options.runsEnd ?? null,
    directory,
    clock,
    now: () => Math.floor(clock() / 1000),
    id: idMint(seed),
    takes: (choice) => alternativeTaken(choices, choice),
    origin: () => {
      const address = reference().http.address() as AddressInfo; // as: a TCP server that listens has one
      const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      return `http://${host}:${address.port}`;
    },
  };
  const { secondKey } = options;
  return secondKey === undefined
    ? [service]
    : [service, { ...service, ...account('org-second', secondKey), first: service }];
}
