# Reads edges `"//from:target" -> "//to:target"` and prints those that go against
# the order of the folders. Exits with 1 where there are any, 2 where there was
# nothing to check.

BEGIN {
    may["proto"] = ""
    may["common"] = "proto"
    may["scheduler"] = "common proto"
    may["kernels"] = "common"
    may["worker"] = "common proto kernels"
    may["client"] = "common proto scheduler/sim"
    # Who may use a target is an edge too, to a package_group of the root.
    is_grant["//:everyone"] = is_grant["//:scheduler"] = 1
    is_grant["//:kernels"] = is_grant["//:worker"] = is_grant["//:client"] = 1
}

function folder(label) {
    sub(/^\/\//, "", label)
    sub(/[\/:].*/, "", label)
    return label
}

# Whether a target of folder `from` may use the target `to`.
function allowed(from, to,    i, count, names) {
    if (folder(to) == from) return 1
    count = split(may[from], names, " ")
    for (i = 1; i <= count; i++) {
        if (index(to, "//" names[i] ":") == 1) return 1
        if (index(to, "//" names[i] "/") == 1) return 1
    }
    return 0
}

$2 == "->" {
    gsub(/["\r]/, "")
    sub(/ *\[.*/, "")
    if ($1 !~ /^\/\// || $3 !~ /^\/\// || $3 in is_grant) next
    from = folder($1)
    if (!(from in may)) {
        print "no rule for the folder of " $1
        wrong++
        next
    }
    checked++
    if (!allowed(from, $3)) {
        print from "/ may not use " $3 ", as " $1 " does"
        wrong++
    }
}

END {
    if (wrong) exit 1
    if (!checked) exit 2
}
