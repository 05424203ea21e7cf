// Tokens of synthetic buyers, minted from the deployment's key file (contracts/README.md: Token,
// key file).
import crypto from 'k6/crypto';
import encoding from 'k6/encoding';

const LIFETIME_S = 86400; // longer than any run

// {kid, secret} of the key that signs: the first one. Lines that are blank or comments are passed
// over; whether the file is good is the edge's business, which refuses to start with a bad one.
export function signingKey(text) {
  const line = text.split('\n').find((each) => /^\s*[^\s#]/.test(each));
  if (!line) throw new Error('KEY_FILE holds no key');
  const [kid, secret] = line.trim().split(/\s+/);
  return { kid, secret };
}

export function mint(key, user, nowMs) {
  const iat = Math.floor(nowMs / 1000);
  const head = part({ alg: 'HS256', typ: 'JWT', kid: key.kid });
  const claims = part({ sub: user, role: 'buyer', iat, exp: iat + LIFETIME_S });
  const signed = `${head}.${claims}`;
  return `${signed}.${crypto.hmac('sha256', key.secret, signed, 'base64rawurl')}`;
}

function part(object) {
  return encoding.b64encode(JSON.stringify(object), 'rawurl');
}
