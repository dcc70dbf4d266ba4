// The probes and the authentication scenarios of all families, from the requests that their `base.ts` export.
import { importModules } from '../../schemas/import-modules.ts';
import { authenticationScenarios, probeScenarios } from './probe-scenarios.ts';
import { isBaseRequest } from './requests.ts';

const families = [...(await importModules('suites', /^base\.[jt]s$/)).values()].map((module) =>
  Object.values(module).flat().filter(isBaseRequest),
);

export const probes = families.flatMap(probeScenarios);

export const authentication = families.flatMap(authenticationScenarios);
