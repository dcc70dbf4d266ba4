// Cases of the erratum for the policies by which vector stores expire.
import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './errata.ts';
import { NOW, store } from './objects.ts';

const beta = 'v2';
const STORES = 'POST /v1/vector_stores';
const inDays = { anchor: 'last_active_at', days: 7 };
const keep = (sent: JsonObject, kept: JsonObject | null, id = 'vs_a'): readonly Sketch[] => [
  {
    call: 'POST /v1/vector_stores',
    beta,
    sent: { name: 'a', expires_after: sent },
    answer: store({ id, expires_after: kept, expires_at: NOW + 604_800 }),
  },
];
/** The same for an existing store. */
const keepLater = (sent: JsonObject, kept: JsonObject): readonly Sketch[] => [
  {
    call: 'POST /v1/vector_stores/vs_a',
    beta,
    sent: { expires_after: sent },
    answer: store({ expires_after: kept, expires_at: NOW + 604_800 }),
  },
];
/** A policy in seconds that is refused for a new store, or for one created without a policy. */
const refuse = (call: string, error: JsonObject, status = 400): readonly Sketch[] => [
  { call: STORES, beta, sent: { name: 'a' }, answer: store({ id: 'vs_c' }) },
  {
    call,
    beta,
    sent: { expires_after: { duration: 604_800 } },
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
const noDays = {
  message: "Missing required parameter: 'expires_after.days'.",
  param: 'expires_after.days',
  code: 'missing_required_parameter',
};
const wrongPolicies = [
  { ...inDays, anchor: 'created_at' },
  { ...inDays, days: 'soon' },
  { anchor: 'last_active_at' },
];

export const POLICIES: readonly ErratumCase[] = [
  {
    erratum: 'expiry-in-days',
    excused: [
      ...keep({ duration: 604_800 }, inDays),
      ...keep(inDays, inDays, 'vs_b'),
      ...keepLater({ duration: 604_800 }, inDays),
      ...keepLater(inDays, inDays),
      ...refuse(STORES, noDays),
      ...refuse(`${STORES}/vs_c`, noDays).slice(1),
    ],
    beyond: [
      {
        traffic: keep({ duration: 604_800 }, { days: 7 }),
        breaks: 'vector-stores.create.keeps-expires-after',
      },
      {
        traffic: keep({ duration: 604_800 }, { ...inDays, anchor: 'created_at' }),
        breaks: 'vector-stores.create.keeps-expires-after',
      },
      ...[30, 'soon'].map((days) => ({
        traffic: keep({ duration: 604_800 }, { ...inDays, days }),
        breaks: 'vector-stores.create.keeps-expires-after',
      })),
      {
        traffic: keep({ ...inDays, duration: 604_800 }, { ...inDays, days: 30 }),
        breaks: 'vector-stores.create.keeps-expires-after',
      },
      ...[{ ...inDays, days: 30 }, { ...inDays, days: 'soon' }, null].map((kept) => ({
        traffic: keep(inDays, kept),
        breaks: 'createVectorStore:body.expires_after.duration#required.rejected',
      })),
      ...wrongPolicies.map((policy) => ({
        traffic: keep(policy, policy),
        breaks: 'createVectorStore:body.expires_after.duration#required.rejected',
      })),
      { traffic: refuse(STORES, noDays, 422), breaks: 'createVectorStore:accepts' },
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
    excused: [...keep(inDays, inDays), ...keepLater(inDays, inDays)],
    beyond: wrongPolicies.map((policy) => ({
      traffic: keep(policy, policy),
      breaks: 'client:createVectorStore:body.expires_after.duration#required',
    })),
  },
];
