import { generateKeyPairSync, sign } from 'node:crypto';

const [SEQUENCE, SET, INTEGER, BITS, OCTETS, UTF8, UTC_TIME] = [0x30, 0x31, 2, 3, 4, 0x0c, 0x17];
const [VERSION, EXTENSIONS, IP_ADDRESS] = [0xa0, 0xa3, 0x87];
const OID = 6;
const COMMON_NAME = der(OID, Buffer.from([0x55, 4, 3]));
const SUBJECT_ALT_NAME = der(OID, Buffer.from([0x55, 0x1d, 0x11]));
const ECDSA_WITH_SHA256 = der(OID, Buffer.from([0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]));

export interface CertificateOptions {
  readonly address?: readonly [number, number, number, number];
  /** Last day of validity, `YYMMDD`. Default: in the far future. */
  readonly until?: string;
}

export function makeCertificate({ address = [127, 0, 0, 1], until = '491231' }: CertificateOptions = {}): {
  readonly key: string;
  readonly cert: string;
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8, Buffer.from('assay test')))));
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const times = ['200101000000Z', `${until}235959Z`].map((time) => der(UTC_TIME, Buffer.from(time)));
  const addresses = der(SEQUENCE, der(IP_ADDRESS, Buffer.from(address)));
  const alternativeNames = der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTETS, addresses));
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    name,
    der(SEQUENCE, ...times),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(EXTENSIONS, der(SEQUENCE, alternativeNames)),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]);
  const certificate = der(SEQUENCE, content, algorithm, der(BITS, signature)).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const { length } = Buffer.concat(content);
  const longLength = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : longLength)]), ...content]);
}
