# shellcheck shell=bash
# For setup: a test that fails is run once more; that is said, and counted by cli/test.sh.

second_try() {
  # shellcheck disable=SC2034 # bats reads it
  BATS_TEST_RETRIES=1
  ((BATS_TEST_TRY_NUMBER == 1)) || echo "# second try: $BATS_TEST_DESCRIPTION" >&3
}
