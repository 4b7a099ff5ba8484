# What the packages of a build have in common. Sourced by each script of this folder, from the root of the checkout.

version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
summary='Measures how long code takes, and whether a change made it slower'
native=$(uname -m)-unknown-linux-musl
read -r -a targets <<<"${TARE_TARGETS:-$native}"
out=${CARGO_TARGET_DIR:-target}
mkdir -p "$out/packages"
# Where packages lie when they are done, and below it in `contents/TARGET` what they are made of.
dist=$(cd "$out/packages" && pwd)
# Where the archives of this version are once it is published; nothing while there is no such place.
archives=${TARE_ARCHIVES:-${TARE_REPOSITORY:+$TARE_REPOSITORY/releases/download/v$version}}
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
umask 022

# A tool of PyPI's, at the version that is known to work, in a place of its own: `tool wheel 0.45.1`.
tools=${TARE_TOOLS:-${dist%/*}/package-tools}
tool() {
    local installed=$tools/installed-$1-$2
    [ -e "$installed" ] && return
    [ -x "$tools/bin/pip" ] || python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check "$1==$2"
    touch "$installed"
}

# What a kind of package calls the architecture of a target: `architecture npm x86_64-unknown-linux-musl`.
architecture() {
    case $1:${2%%-*} in
        npm:x86_64) echo x64 ;;
        npm:aarch64) echo arm64 ;;
        homebrew:x86_64) echo intel ;;
        homebrew:aarch64) echo arm ;;
        debian:x86_64) echo amd64 ;;
        debian:aarch64) echo arm64 ;;
        wheel:x86_64 | wheel:aarch64 | composer:x86_64 | composer:aarch64) echo "${2%%-*}" ;;
        *)
            echo "dist: no package for $1 is known for the target $2. Add its architecture to packages/release.sh" >&2
            return 1
            ;;
    esac
}

# An archive of a folder, the same bytes for the same content: `packed PARENT FOLDER FILE`.
packed() {
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
        -C "$1" -cf - "$2" | gzip -n -9 >"$3"
}

# The files about licences, which every package with the program holds: `licences TARGET FOLDER`.
licences() {
    cp LICENSE LICENSE-APACHE LICENSE-MIT "$dist/contents/$1/THIRD-PARTY-LICENSES" "$2/"
}

# npm's field for where the sources are. npm publishes no statement of origin (provenance) without it.
repository() {
    if [ -n "${TARE_REPOSITORY:-}" ]; then
        printf '\n  "repository": {"type": "git", "url": "git+%s.git"},' "$TARE_REPOSITORY"
    fi
}
