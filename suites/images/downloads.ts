import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import { type Exchange, precedes } from '../../exchange/exchange.ts';
import type { Call } from '../../judge/call.ts';
import { list, text } from '../../judge/json.ts';
import { Keyed } from '../../judge/keyed.ts';
import { type Outcome, outcomeOf } from '../../judge/outcome.ts';
import type { Collector, Evidence, Selector } from '../../judge/requirement.ts';
import { OPERATIONS } from './drawn.ts';
import { type Picture, readPicture } from './picture.ts';

/** What was got from the URL of an image. */
export interface Download extends Evidence {
  /** Of the request that asked for the image. */
  readonly asked: Json | undefined;
  readonly url: string;
  readonly outcome: Outcome;
  readonly status: number | null;
  /** Null where nothing was got. */
  readonly picture: () => Picture | null;
}

/** Every URL of an image that was got after the answer that gave it. */
export function downloads(): Selector<Download> {
  return selector;
}

const selector: Selector<Download> = {
  operations: OPERATIONS,
  variant: null,
  downloads: true,
  collect: () => new DownloadCollector(),
};

class DownloadCollector implements Collector<Download> {
  /** By what a request for it asks for. */
  readonly #given = new Keyed<{ readonly call: Call; readonly url: string }>();

  call(call: Call): readonly Download[] {
    for (const image of list(call.answer, 'data')) {
      const url = text(image, 'url');
      for (const target of url === undefined ? [] : targetsOf(url))
        this.#given.set(target, { call, url: url ?? '' });
    }
    return [];
  }

  download(exchange: Exchange): readonly Download[] {
    const given = exchange.request.method === 'GET' ? this.#given.get(exchange.request.target) : undefined;
    if (given === undefined || !precedes(given.call.exchange, exchange)) return [];
    const { call, url } = given;
    const outcome = outcomeOf(exchange);
    const content = exchange.response === null ? null : decoded(exchange.response);
    let known: Picture | undefined;
    return [
      {
        asked: call.asked,
        url,
        outcome,
        status: exchange.response?.status ?? null,
        picture: () => {
          // Of a 206 it is a part.
          const isWhole = exchange.response?.status === 200 && exchange.end.how === 'complete';
          if (!isWhole || content?.bytes == null) return null;
          known ??= readPicture(content.bytes);
          return known;
        },
        exchanges: [call.exchange, exchange],
      },
    ];
  }

  finish(): readonly Download[] {
    return [];
  }
}

/** What a request for a URL may have as its target: the whole path, or what follows the prefix of the target. */
function targetsOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { pathname, search } = new URL(url);
  const beyond = pathname.indexOf('/v1/');
  return [`${pathname}${search}`, ...(beyond > 0 ? [`${pathname.slice(beyond)}${search}`] : [])];
}
