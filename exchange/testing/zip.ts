import { crc32, deflateRawSync } from 'node:zlib';

export function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  how: 'deflated' | 'stored' = 'deflated',
): Buffer {
  const localEntries: Buffer[] = [];
  const directoryEntries: Buffer[] = [];
  let offset = 0;
  for (const [name, data] of Object.entries(files)) {
    const content = Buffer.from(data);
    const packed = how === 'stored' ? content : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(how === 'stored' ? 0 : 8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const directoryFields = Buffer.alloc(14);
    directoryFields.writeUInt32LE(offset, 10);
    const localEntry = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed]);
    localEntries.push(localEntry);
    const signature = Buffer.from('PK\u0001\u0002\u0014\u0000');
    directoryEntries.push(signature, common, directoryFields, Buffer.from(name));
    offset += localEntry.length;
  }
  const directory = Buffer.concat(directoryEntries);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(localEntries.length, 8);
  end.writeUInt16LE(localEntries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...localEntries, directory, end]);
}
