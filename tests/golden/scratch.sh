# shellcheck shell=sh
# Sourced by cases: a repository whose commits are the same everywhere.
HOME=$PWD
XDG_CACHE_HOME=$PWD/cache
TMPDIR=$PWD
GIT_CONFIG_NOSYSTEM=1
GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE='2026-01-02T03:04:05Z'
GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org GIT_COMMITTER_DATE='2026-01-02T03:04:05Z'
export HOME XDG_CACHE_HOME TMPDIR GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
    GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
if ! command -v git >/dev/null; then
    echo "git is not installed"
    exit 77
fi
git -c init.defaultBranch=main init -q repository && cd repository || exit

commit() { # message
    git add -A && git -c commit.gpgsign=false commit -q --allow-empty -m "$1"
}
