// Signatures against one that Amazon publishes for implementers, and what changes them.
import { expect, test } from 'vitest';
import { awsSignature } from './awsSignature.ts';

const env = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  AWS_REGION: 'us-east-1',
};
const now = () => Date.UTC(2015, 7, 30, 12, 36, 0);

test('a published request gets the published signature', () => {
  expect(
    awsSignature({ url: 'https://example.amazonaws.com/', body: '' }, { env, service: 'service', now }),
  ).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, ' +
      'SignedHeaders=host;x-amz-date, ' +
      'Signature=5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  });
});

test('a session is signed along, the region may stand in the host, and without keys nothing is signed', () => {
  const { AWS_REGION: _, ...keys } = env;
  const url = 'https://bedrock-runtime.eu-central-1.amazonaws.com/model/a%3A0/converse-stream';
  const signed = awsSignature(
    { url, body: '{}' },
    { env: { ...keys, AWS_SESSION_TOKEN: 'session' }, service: 'bedrock', now },
  );
  expect(signed).toMatchObject({
    'x-amz-security-token': 'session',
    authorization: expect.stringContaining(
      '/eu-central-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token',
    ),
  });
  expect(awsSignature({ url, body: '{}' }, { env: {}, service: 'bedrock', now })).toEqual({});
});
