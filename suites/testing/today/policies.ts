// Cases of the errata for the expiry policies of vector stores.
import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import { NOW, store } from './objects.ts';

const beta = 'v2';
const STORES = 'POST /v1/vector_stores';
const WEEK_IN_SECONDS = 604_800;
const policyInSeconds = { duration: WEEK_IN_SECONDS };
const policyInDays = { anchor: 'last_active_at', days: 7 };
const createStore = (sent: JsonObject, kept: JsonObject | null, id = 'vs_a'): readonly Sketch[] => [
  {
    call: STORES,
    beta,
    sent: { name: 'a', expires_after: sent },
    answer: store({ id, expires_after: kept, expires_at: NOW + WEEK_IN_SECONDS }),
  },
];
const modifyStore = (sent: JsonObject, kept: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/vector_stores/vs_a',
    beta,
    sent: { expires_after: sent },
    answer: store({ expires_after: kept, expires_at: NOW + WEEK_IN_SECONDS }),
  },
];
/**
 * Creates `vs_c` without a policy, refuses a policy in seconds (for a new store or for `vs_c`), then creates another
 * store.
 */
const refuse = (call: string, error: JsonObject, status = 400): readonly Sketch[] => [
  { call: STORES, beta, sent: { name: 'a' }, answer: store({ id: 'vs_c' }) },
  {
    call,
    beta,
    sent: { expires_after: policyInSeconds },
    status,
    answer: { error: { type: 'invalid_request_error', ...error } },
  },
  {
    call: STORES,
    beta,
    sent: { name: 'b' },
    answer: store({ id: `vs_after_${call.split('/').length}`, name: 'b' }),
  },
];
const missingDaysError = {
  message: "Missing required parameter: 'expires_after.days'.",
  param: 'expires_after.days',
  code: 'missing_required_parameter',
};
const wrongPolicies = [
  { ...policyInDays, anchor: 'created_at' },
  { ...policyInDays, days: 'soon' },
  { anchor: 'last_active_at' },
];

export const POLICIES: readonly ErratumCase[] = [
  {
    erratum: 'expiry-in-days',
    excused: [
      ...createStore(policyInSeconds, policyInDays),
      ...createStore(policyInDays, policyInDays, 'vs_b'),
      ...modifyStore(policyInSeconds, policyInDays),
      ...modifyStore(policyInDays, policyInDays),
      ...refuse(STORES, missingDaysError),
      ...refuse(`${STORES}/vs_c`, missingDaysError).slice(1),
    ],
    beyond: [
      {
        traffic: createStore(policyInSeconds, { days: 7 }),
        breaks: 'vector-stores.create.keeps-expires-after',
      },
      {
        traffic: createStore(policyInSeconds, { ...policyInDays, anchor: 'created_at' }),
        breaks: 'vector-stores.create.keeps-expires-after',
      },
      ...[30, 'soon'].map((days) => ({
        traffic: createStore(policyInSeconds, { ...policyInDays, days }),
        breaks: 'vector-stores.create.keeps-expires-after',
      })),
      {
        traffic: createStore({ ...policyInDays, ...policyInSeconds }, { ...policyInDays, days: 30 }),
        breaks: 'vector-stores.create.keeps-expires-after',
      },
      ...[{ ...policyInDays, days: 30 }, { ...policyInDays, days: 'soon' }, null].map((kept) => ({
        traffic: createStore(policyInDays, kept),
        breaks: 'createVectorStore:body.expires_after.duration#required.rejected',
      })),
      ...wrongPolicies.map((policy) => ({
        traffic: createStore(policy, policy),
        breaks: 'createVectorStore:body.expires_after.duration#required.rejected',
      })),
      { traffic: refuse(STORES, missingDaysError, 422), breaks: 'createVectorStore:accepts' },
      {
        traffic: refuse(STORES, { message: 'Bad request.', param: 'name' }),
        breaks: 'createVectorStore:accepts',
      },
      { traffic: refuse(`${STORES}/vs_c`, { message: 'Bad request.' }), breaks: 'modifyVectorStore:accepts' },
    ],
  },
  {
    erratum: 'expiry-in-days',
    side: 'client',
    excused: [...createStore(policyInDays, policyInDays), ...modifyStore(policyInDays, policyInDays)],
    beyond: wrongPolicies.map((policy) => ({
      traffic: createStore(policy, policy),
      breaks: 'client:createVectorStore:body.expires_after.duration#required',
    })),
  },
];
