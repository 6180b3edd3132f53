import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';

const encoding = Buffer.from('binary/encrypted');
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

function encrypt(key: Buffer, payload: Payload): Payload {
  const nonce = randomBytes(nonceBytes);
  const gcm = createCipheriv(cipher, key, nonce);
  const plain = proto.temporal.api.common.v1.Payload.encode(payload).finish();
  const data = Buffer.concat([nonce, gcm.update(plain), gcm.final(), gcm.getAuthTag()]);
  return { metadata: { encoding }, data };
}

function decrypt(key: Buffer, payload: Payload): Payload {
  if (!payload.metadata?.encoding || !encoding.equals(payload.metadata.encoding)) return payload;
  const data = Buffer.from(payload.data ?? []);
  const gcm = createDecipheriv(cipher, key, data.subarray(0, nonceBytes));
  gcm.setAuthTag(data.subarray(-tagBytes));
  const plain = Buffer.concat([gcm.update(data.subarray(nonceBytes, -tagBytes)), gcm.final()]);
  return proto.temporal.api.common.v1.Payload.decode(plain);
}

function createPayloadCodec(key: Buffer): PayloadCodec {
  return {
    encode: async (payloads) => payloads.map((payload) => encrypt(key, payload)),
    decode: async (payloads) => payloads.map((payload) => decrypt(key, payload)),
  };
}

/**
 * Data converter for workflow inputs and results: plain JSON without a key, AES-256-GCM with one. Payloads written
 * without a key stay readable after one is set, but not the reverse.
 *
 * @param key base64 of 32 bytes, or undefined
 * @throws Error when the key has another length
 */
export function createDataConverter(key: string | undefined): DataConverter {
  if (key === undefined) return {};
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== 32) throw new Error('TEMPORAL_PAYLOAD_KEY must be the base64 of 32 bytes');
  return { payloadCodecs: [createPayloadCodec(bytes)] };
}
