# Reads a token key file by the grammar of contracts/README.md: prints "KID SECRET" of the first key, or
# what is wrong, and then exits 1. Run with LC_ALL=C: characters are bytes.

function refuse(words) {
  print "line " NR ": " words
  refused = 1
  exit 1
}
/\r$/ { refuse("must be KID SECRET") }
/^[ \t]*(#|$)/ { next }
{
  sub(/^[ \t]+/, "")
  sub(/[ \t]+$/, "")
  if (split($0, word, /[ \t]+/) != 2) refuse("must be KID SECRET")
  if (word[1] ~ /[^A-Za-z0-9_.-]/ || length(word[1]) > 64) refuse("a key id has 1 to 64 of A-Z a-z 0-9 _ . -")
  if (word[2] ~ /[^!-~]/ || length(word[2]) < 32 || length(word[2]) > 512) refuse("a secret has 32 to 512 visible characters")
  if (word[1] in seen) refuse("key id '" word[1] "' is there twice")
  if (keys == 8) refuse("at most 8 keys")
  seen[word[1]]
  if (++keys == 1) first = word[1] " " word[2]
}
END {
  if (refused) exit 1
  if (!keys) { print "holds no key"; exit 1 }
  print first
}
