import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { createSigningKey, type SigningKey } from './sns-signer.ts';

const pem = /-----BEGIN (?:[A-Z ]+)-----[\s\S]+?-----END (?:[A-Z ]+)-----/g;

/** AWS uses 2048. Signing is most of the work per event, and only a server on this machine trusts the certificate. */
const bits = 1024;

/** The signing key stored in `directory`. Created on the first start, and again when its certificate has expired. */
export async function loadSigningKey(directory: string): Promise<SigningKey> {
  const path = join(directory, 'signing-key.pem');
  const kept = await readKey(path);
  if (kept !== null && isUsable(kept)) return kept;
  const made = await createSigningKey(bits);
  const text = `${made.privateKeyPem.trim()}\n${made.certificatePem.trim()}\n`;
  await writeFileAtomic(path, text, { mode: 0o600 });
  return made;
}

async function readKey(path: string): Promise<SigningKey | null> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const [privateKeyPem, certificatePem] = text.match(pem) ?? [];
  if (privateKeyPem === undefined || certificatePem === undefined) return null;
  return { privateKeyPem: `${privateKeyPem}\n`, certificatePem: `${certificatePem}\n` };
}

function isUsable({ certificatePem }: SigningKey): boolean {
  return new X509Certificate(certificatePem).validToDate.getTime() > Date.now();
}
