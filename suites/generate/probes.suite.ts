// The probes and the authentication scenarios of all families, from the requests that the `base.ts` files export.
import { importModules } from '../../schemas/import-modules.ts';
import { authenticationScenarios } from './authentication-scenarios.ts';
import { probeScenarios } from './probe-scenarios.ts';
import { isBaseRequest } from './requests.ts';

const bases = [...(await importModules('suites', /^base\.[jt]s$/)).values()].flatMap((module) =>
  Object.values(module).flat().filter(isBaseRequest),
);

export const probes = probeScenarios(bases);

export const authentication = authenticationScenarios(bases);
