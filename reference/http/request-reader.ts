import { type Operation, operation, type Variant } from '../../schemas/index.ts';
import { getOrMake } from '../../schemas/maps.ts';
import type { Service } from '../state/service.ts';
import { ApiError } from './api-error.ts';
import { discardUploads, receiveForm, type Upload } from './form.ts';
import { isJsonObject, requestMediaType } from './json.ts';
import {
  type HandlerRequest,
  headerValues,
  headerVersion,
  type ServiceRequest,
  type ServiceRoute,
} from './route.ts';
import { checkBody, compileQueryCheck, formToBody } from './validation.ts';

const NO_UPLOADS: ReadonlyMap<string, Upload> = new Map();
/** Query checks are compiled once for all services of the process. */
const queryChecks = new Map<string, ReturnType<typeof compileQueryCheck>>();

export function takesForm(route: ServiceRoute): boolean {
  return route.operation !== null && operation(route.operation).variants[0]?.body?.carrier === 'multipart';
}

/** Returns a function that reads and validates variant, query and body, in this order. @throws ApiError */
export function createRequestReader(
  service: Service,
  route: ServiceRoute,
): (request: ServiceRequest) => HandlerRequest<never> | Promise<HandlerRequest<never>> {
  const endpoint = route.operation === null ? null : operation(route.operation);
  const checkQuery = getOrMake(queryChecks, endpoint?.id ?? '', () =>
    compileQueryCheck(endpoint?.parameters.filter((parameter) => parameter.in === 'query') ?? []),
  );
  return (request) => {
    const header = request.headers[service.betaHeader];
    const variant = endpoint === null ? null : chooseVariant(endpoint, header, service);
    const common = {
      service,
      request,
      path: request.params,
      query: checkQuery(request.query) as HandlerRequest['query'], // as: the checked query has the types of the schema
      variant: variant?.name ?? headerVersion(header),
    };
    const bodyRule = variant?.body ?? null;
    // as: the route states the type of the body, which has been validated if the operation has a schema for it
    const complete = (read: ReadBody) => ({ ...common, ...read }) as HandlerRequest<never>;
    if (bodyRule?.carrier === 'multipart') return readForm(request, bodyRule.schema, service).then(complete);
    return complete(readJson(request, bodyRule, route));
  };
}

interface ReadBody {
  readonly body: unknown;
  readonly uploads: ReadonlyMap<string, Upload>;
}

function readJson(request: ServiceRequest, rule: Variant['body'], route: ServiceRoute): ReadBody {
  if (rule === null) return { body: isJsonObject(request.body) ? request.body : {}, uploads: NO_UPLOADS };
  if (request.body === undefined && rule.required) {
    throw ApiError.invalid(null, 'The body is empty; send a JSON object as application/json.');
  }
  const jsonBody = request.body === undefined ? {} : request.body;
  const body = route.prepare !== undefined && isJsonObject(jsonBody) ? route.prepare(jsonBody) : jsonBody;
  checkBody(rule.schema, body);
  return { body, uploads: NO_UPLOADS };
}

async function readForm(request: ServiceRequest, name: string, service: Service): Promise<ReadBody> {
  const { raw } = request;
  if (raw === null || requestMediaType(raw.headers) !== 'multipart/form-data')
    throw new ApiError(415, 'This endpoint takes multipart/form-data; send a form.');
  const form = await receiveForm(raw, service.directory, () => service.id('upload-'));
  try {
    const body = formToBody(name, form);
    checkBody(name, body);
    return { body, uploads: form.uploads };
  } catch (error) {
    await discardUploads(form.uploads.values());
    throw error;
  }
}

/** The variant of the header, else the first. Without a header, a choice decides for assistants. @throws ApiError */
function chooseVariant(
  endpoint: Operation,
  header: string | string[] | undefined,
  service: Service,
): Variant {
  const first = endpoint.variants[0];
  if (first === undefined) throw new Error(`operation ${endpoint.id} has no variants`);
  if (header === undefined && first.family.startsWith('assistants'))
    return variantWithoutHeader(endpoint, first, service);
  const values = headerValues(header);
  return endpoint.variants.find(({ beta }) => beta !== null && values.includes(beta)) ?? first;
}

function variantWithoutHeader(endpoint: Operation, first: Variant, service: Service): Variant {
  const alternative = service.takes('assistants.form.missing-header');
  if (alternative === 'refused') throw ApiError.invalid(null, `Send the header '${service.betaHeader}'.`);
  if (alternative !== 'the legacy form') return first;
  return endpoint.variants.find(({ name }) => name === 'v1') ?? first;
}
